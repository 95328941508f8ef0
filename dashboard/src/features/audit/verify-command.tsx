import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { sendRequest } from '../../api/operations.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { downloadFile } from '../../ui/download.ts'
import { ErrorState } from '../../ui/error-state.tsx'

const KEY_FILE = 'gatehouse.pub'

interface VerifyCommandProps {
  readonly text: string
  readonly command: string
}

/** The command that verifies a downloaded file, with the public key that it needs. */
export function VerifyCommand({ text, command }: VerifyCommandProps) {
  const { t } = useTranslation('audit')
  const download = useMutation({
    mutationFn: async () => {
      const { public_key } = await sendRequest('get', '/admin/v1/audit/checkpoints', { params: { query: { limit: 1 } } })
      downloadFile(KEY_FILE, new Blob([public_key]))
    },
  })
  return (
    <Stack gap="xs">
      <Text size="sm">{text}</Text>
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Code block tabIndex={0} style={{ flex: 1, minWidth: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {command}
        </Code>
        <CopyButton value={command} label={t('command.label')} />
      </Group>
      <Group>
        <Button variant="default" size="xs" loading={download.isPending} onClick={() => download.mutate()}>
          {t('command.key')}
        </Button>
      </Group>
      {download.error && <ErrorState title={t('command.failed')} error={download.error} />}
      <Text size="xs" c="dimmed">
        {t('command.hint')}
      </Text>
    </Stack>
  )
}
