import { Badge, Button, Group, Progress, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from '../../ui/link.tsx'
import type { Upload } from './use-uploads.ts'

interface UploadRowProps {
  readonly upload: Upload
  readonly onRetry: () => void
}

const COLORS: Readonly<Partial<Record<Upload['state'], string>>> = { failed: 'red', queued: 'gray', uploading: 'blue' }

/** One file with its upload state. */
export function UploadRow({ upload, onRetry }: UploadRowProps) {
  const { t } = useTranslation('knowledge')
  const { name, state, progress, documentId, chunks, flagged, warnings = 0, problem } = upload
  // The server parses and indexes the file after the upload.
  const isProcessing = state === 'uploading' && progress === 1
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {documentId ? <Link to={`/knowledge/documents/${documentId}`}>{name}</Link> : name}
        </Text>
        <Group gap="xs" role="status">
          {flagged && <Badge color="orange">{t('documents.needsReview')}</Badge>}
          {warnings > 0 && <Badge color="yellow">{t('warnings.count', { count: warnings })}</Badge>}
          {state !== 'failed' && chunks !== undefined && (
            <Text size="sm" c="dimmed">
              {t('chunks', { count: chunks })}
            </Text>
          )}
          {state === 'failed' && (
            <Button size="compact-xs" variant="subtle" aria-label={t('upload.retryOf', { name })} onClick={onRetry}>
              {t('upload.retry')}
            </Button>
          )}
          <Badge color={COLORS[state] ?? 'green'}>{t(`upload.states.${isProcessing ? 'processing' : state}`)}</Badge>
        </Group>
      </Group>
      {state === 'uploading' && (
        <Progress.Root size="sm" mt={4}>
          <Progress.Section value={progress * 100} animated={isProcessing} aria-label={t('upload.progressOf', { name })} />
        </Progress.Root>
      )}
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)">
          {problem}
        </Text>
      )}
    </li>
  )
}
