import { Badge, Group, Progress, Text } from '@mantine/core'
import { Link } from '../../ui/link.tsx'
import type { Upload } from './use-uploads.ts'

const STATE_LABELS = {
  queued: 'Queued',
  uploading: 'Uploading',
  added: 'Added',
  changed: 'New version',
  relabelled: 'New labels',
  unchanged: 'Unchanged',
  failed: 'Failed',
} as const

/** One file with its upload state. */
export function UploadRow({ upload }: { readonly upload: Upload }) {
  const { name, state, progress, documentId, chunks, flagged, problem } = upload
  // The server parses and indexes the file after the upload.
  const isProcessing = state === 'uploading' && progress === 1
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {documentId ? <Link to={`/knowledge/documents/${documentId}`}>{name}</Link> : name}
        </Text>
        <Group gap="xs" role="status">
          {flagged && <Badge color="orange">Needs review</Badge>}
          {state !== 'failed' && chunks !== undefined && (
            <Text size="sm" c="dimmed">
              {chunks} {chunks === 1 ? 'chunk' : 'chunks'}
            </Text>
          )}
          <Badge color={state === 'failed' ? 'red' : state === 'queued' ? 'gray' : 'green'}>
            {isProcessing ? 'Processing' : STATE_LABELS[state]}
          </Badge>
        </Group>
      </Group>
      {state === 'uploading' && (
        <Progress.Root size="sm" mt={4}>
          <Progress.Section value={progress * 100} animated={isProcessing} aria-label={`${name}: upload progress`} />
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
