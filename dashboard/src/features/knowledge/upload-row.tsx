import { Badge, Group, Progress, Text } from '@mantine/core'
import { Link } from '../../ui/link.tsx'
import type { Upload } from './uploads.ts'

const SAID = {
  waiting: 'waiting',
  going: 'uploading',
  added: 'added',
  changed: 'new version',
  relabelled: 'new labels',
  unchanged: 'was there already',
  failed: 'failed',
} as const

/** One file on its way in, and what became of it. */
export function UploadRow({ upload }: { readonly upload: Upload }) {
  const { name, state, progress, documentId, chunks, flagged, problem } = upload
  // The last part of the way is the server's: it reads what has come in.
  const reading = state === 'going' && progress === 1
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {documentId ? <Link to={`/knowledge/documents/${documentId}`}>{name}</Link> : name}
        </Text>
        <Group gap="xs" role="status">
          {flagged && (
            <Badge color="orange" variant="light" tt="none">
              to be looked at
            </Badge>
          )}
          {state !== 'failed' && chunks !== undefined && (
            <Text size="sm" c="dimmed">
              {chunks} {chunks === 1 ? 'passage' : 'passages'}
            </Text>
          )}
          <Badge color={state === 'failed' ? 'red' : state === 'waiting' ? 'gray' : 'green'} variant="light" tt="none">
            {reading ? 'being read' : SAID[state]}
          </Badge>
        </Group>
      </Group>
      {state === 'going' && (
        <Progress.Root size="sm" mt={4}>
          <Progress.Section value={progress * 100} animated={reading} aria-label={`${name}: how much has been sent`} />
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
