import { Alert, Button, Code, Modal, SimpleGrid, Stack } from '@mantine/core'
import { CopyButton } from '../../ui/copy.tsx'
import { NO_CLOSING } from '../../ui/secret-dialog.tsx'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'

interface BackupCodesProps {
  /** Undefined: the dialog is closed. */
  readonly codes: readonly string[] | undefined
  readonly onDone: () => void
}

/** Shows new backup codes. Only the button closes the dialog, because the codes cannot be shown again. */
export function BackupCodes({ codes = [], onDone }: BackupCodesProps) {
  const opened = codes.length > 0
  useUnsavedWarning(opened)
  return (
    <Modal opened={opened} {...NO_CLOSING} title="Backup codes">
      <Stack>
        <Alert color="yellow" variant="light">
          Save these codes now. Each code replaces the authenticator app for one sign-in. They are not shown again.
        </Alert>
        <SimpleGrid cols={2} spacing="xs">
          {codes.map((code) => (
            <Code key={code}>{code}</Code>
          ))}
        </SimpleGrid>
        <CopyButton value={codes.join('\n')} label="all codes" />
        <Button onClick={onDone}>I have saved them</Button>
      </Stack>
    </Modal>
  )
}
