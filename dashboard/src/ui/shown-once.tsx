import { Alert, Button, Modal, Stack } from '@mantine/core'
import { Copyable } from './copy.tsx'

interface ShownOnceProps {
  /** Undefined: nothing to show, the dialog is closed. */
  readonly secret: string | undefined
  readonly title: string
  /** What it is: "the key". */
  readonly what: string
  readonly onClose: () => void
}

/** A secret right after it was made; nobody can see it a second time. */
export function ShownOnce({ secret, title, what, onClose }: ShownOnceProps) {
  return (
    <Modal opened={secret !== undefined} onClose={onClose} title={title} closeOnClickOutside={false} size="lg">
      <Stack>
        <Alert color="yellow" variant="light">
          Copy {what} now: it is shown this once.
        </Alert>
        {secret !== undefined && <Copyable value={secret} what={what} />}
        <Button onClick={onClose}>I have copied it</Button>
      </Stack>
    </Modal>
  )
}
