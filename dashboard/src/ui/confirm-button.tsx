import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useRef, useState } from 'react'
import { notifyError } from './notify.ts'
import { useSettled } from './use-settled.ts'

/** The second click of a double click on the button comes earlier, and must not confirm. */
const SETTLE_MS = 400

interface ConfirmButtonProps extends ButtonProps {
  readonly children: ReactNode
  /** "Revoke the key?" */
  readonly question: string
  /** What follows from it. */
  readonly consequence: ReactNode
  /** Whether something is lost by it: then the confirmation is red. Default: true. */
  readonly destructive?: boolean
  readonly onConfirm: () => Promise<unknown> | unknown
}

/** A button that asks before it acts, and acts once. A failure is shown, and the question stays. */
export function ConfirmButton({ children, question, consequence, destructive = true, onConfirm, ...button }: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const [pending, setPending] = useState(false)
  // `pending` is seen by the next rendering only: of two fast clicks the second would still act.
  const acting = useRef(false)
  const settled = useSettled(opened ? 'opened' : undefined, SETTLE_MS)
  const confirm = async () => {
    if (acting.current) return
    acting.current = true
    setPending(true)
    try {
      await onConfirm()
      close()
    } catch (error) {
      notifyError(error)
    } finally {
      acting.current = false
      setPending(false)
    }
  }
  return (
    <>
      <Button variant="default" size="xs" {...button} onClick={open}>
        {children}
      </Button>
      <Modal opened={opened} onClose={() => !pending && close()} title={question}>
        <Stack>
          <Text size="sm">{consequence}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={pending} data-autofocus>
              Cancel
            </Button>
            <Button {...(destructive && { color: 'red' })} loading={pending} disabled={!settled} onClick={() => void confirm()}>
              {children}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
