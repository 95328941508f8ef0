import { Alert, Button, Code, Modal, SimpleGrid, Stack } from '@mantine/core'
import { CopyButton } from '../../ui/copy.tsx'
import { useUnsaved } from '../../ui/use-unsaved.ts'

interface BackupCodesProps {
  /** Undefined: nothing to show, the dialog is closed. */
  readonly codes: readonly string[] | undefined
  readonly onDone: () => void
}

/** For the day when the phone is gone; each counts once. They cannot be shown a second time, so only the button closes the dialog. */
export function BackupCodes({ codes = [], onDone }: BackupCodesProps) {
  const opened = codes.length > 0
  useUnsaved(opened)
  return (
    <Modal
      opened={opened}
      onClose={() => undefined}
      title="Backup codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" variant="light">
          Keep these codes: each signs you in once when the app is not at hand. They are shown this once.
        </Alert>
        <SimpleGrid cols={2} spacing="xs">
          {codes.map((code) => (
            <Code key={code}>{code}</Code>
          ))}
        </SimpleGrid>
        <CopyButton value={codes.join('\n')} what="all codes" />
        <Button onClick={onDone}>I have kept them</Button>
      </Stack>
    </Modal>
  )
}
