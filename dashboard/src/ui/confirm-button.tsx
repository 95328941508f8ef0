import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { notifyError } from './notify.ts'

interface ConfirmButtonProps extends ButtonProps {
  readonly children: ReactNode
  /** "Revoke the key?" */
  readonly question: string
  /** What follows from it. */
  readonly consequence: ReactNode
  readonly onConfirm: () => Promise<unknown> | unknown
}

/** A button for what cannot be undone: it asks first. A failure is shown, and the question stays. */
export function ConfirmButton({ children, question, consequence, onConfirm, ...button }: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const confirm = async () => {
    try {
      await onConfirm()
      close()
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <>
      <Button variant="default" size="xs" {...button} onClick={open}>
        {children}
      </Button>
      <Modal opened={opened} onClose={close} title={question}>
        <Stack>
          <Text size="sm">{consequence}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button color="red" onClick={() => void confirm()}>
              {children}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
