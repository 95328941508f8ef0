import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Section } from '../../ui/section.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'

interface DocumentTextProps {
  readonly documentId: string
  readonly chunks: number
}

/** The chunks of a document. Loaded on demand, because each reading is recorded. */
export function DocumentText({ documentId, chunks }: DocumentTextProps) {
  const [isOpen, setOpen] = useState(false)
  if (!useScopes().hasScope('knowledge:content')) return <MissingScope />
  return (
    <Section title="Text">
      {isOpen ? (
        <Chunks documentId={documentId} />
      ) : (
        <Group>
          <Button variant="default" onClick={() => setOpen(true)}>
            Show text
          </Button>
          <Text size="sm" c="dimmed">
            {chunks} {chunks === 1 ? 'chunk' : 'chunks'}. The audit log records that you read the text.
          </Text>
        </Group>
      )}
    </Section>
  )
}

const MissingScope = () => (
  <Section title="Text">
    <Text size="sm" c="dimmed">
      Reading the text requires the scope knowledge:content.
    </Text>
  </Section>
)

function Chunks({ documentId }: { readonly documentId: string }) {
  const list = useList('/admin/v1/documents/{id}/chunks', { params: { path: { id: documentId } } })
  if (list.error) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  return (
    <Stack gap="sm">
      {list.items.map((chunk) => (
        <Chunk key={chunk.id} chunk={chunk} />
      ))}
      <ShowMore list={list} />
    </Stack>
  )
}

function Chunk({ chunk }: { readonly chunk: ItemOf<'/admin/v1/documents/{id}/chunks'> }) {
  const { headings, content, tokens, flagged } = chunk
  return (
    <Paper withBorder p="sm">
      <Group gap="xs" mb={4}>
        <Text size="xs" c="dimmed">
          {[...headings, `${tokens} tokens`].join(' › ')}
        </Text>
        {flagged && <Badge color="orange">Instructions found</Badge>}
      </Group>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {content}
      </Text>
    </Paper>
  )
}
