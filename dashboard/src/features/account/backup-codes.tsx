import { Alert, Button, Code, Modal, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
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
  const { t } = useTranslation('account')
  const opened = codes.length > 0
  useUnsavedWarning(opened)
  return (
    <Modal opened={opened} {...NO_CLOSING} title={t('codes.title')}>
      <Stack>
        <Alert color="yellow" variant="light">
          {t('codes.hint')}
        </Alert>
        <SimpleGrid cols={2} spacing="xs">
          {codes.map((code) => (
            <Code key={code}>{code}</Code>
          ))}
        </SimpleGrid>
        <CopyButton value={codes.join('\n')} label={t('codes.all')} />
        <Button onClick={onDone}>{t('codes.saved')}</Button>
      </Stack>
    </Modal>
  )
}
