import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notifyError } from './notify.ts'
import { useSettled } from './use-settled.ts'

/** Longer than a double click, so that its second click does not confirm. */
const SETTLE_MS = 400

interface ConfirmButtonProps extends ButtonProps {
  readonly children: ReactNode
  /** "Revoke key?" */
  readonly question: string
  readonly consequence: ReactNode
  /** Red confirmation button. Default: true. */
  readonly destructive?: boolean
  readonly onConfirm: () => Promise<unknown> | unknown
}

/** A button that asks for confirmation and acts once. On failure it shows the error and keeps the dialog open. */
export function ConfirmButton({ children, question, consequence, destructive = true, onConfirm, ...button }: ConfirmButtonProps) {
  const { t } = useTranslation('ui')
  const [opened, { open, close }] = useDisclosure()
  const [pending, setPending] = useState(false)
  // State changes only with the next render, which is too late for the second of two fast clicks.
  const isRunning = useRef(false)
  const settled = useSettled(opened ? 'opened' : undefined, SETTLE_MS)
  const confirm = async () => {
    if (isRunning.current) return
    isRunning.current = true
    setPending(true)
    try {
      await onConfirm()
      close()
    } catch (error) {
      notifyError(error)
    } finally {
      isRunning.current = false
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
              {t('cancel')}
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
