import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'

interface DocumentTextProps {
  readonly documentId: string
  readonly chunks: number
}

/** The text as it is found, passage by passage. It is read when somebody asks for it: that is recorded. */
export function DocumentText({ documentId, chunks }: DocumentTextProps) {
  const [asked, setAsked] = useState(false)
  if (!useScopes().may('knowledge:content')) return <NotForThisRole />
  return (
    <Section title="Text">
      {asked ? (
        <Passages documentId={documentId} />
      ) : (
        <Group>
          <Button variant="default" onClick={() => setAsked(true)}>
            Read the text
          </Button>
          <Text size="sm" c="dimmed">
            {chunks} {chunks === 1 ? 'passage' : 'passages'}. That you have read it is recorded.
          </Text>
        </Group>
      )}
    </Section>
  )
}

const NotForThisRole = () => (
  <Section title="Text">
    <Text size="sm" c="dimmed">
      The text needs the scope knowledge:content, which your role does not have.
    </Text>
  </Section>
)

function Passages({ documentId }: { readonly documentId: string }) {
  const list = useList('/admin/v1/documents/{id}/chunks', { params: { path: { id: documentId } } })
  if (list.error) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  return (
    <Stack gap="sm">
      {list.items.map((chunk) => (
        <Passage key={chunk.id} chunk={chunk} />
      ))}
      {list.hasMore && (
        <Button variant="default" loading={list.loadingMore} onClick={list.more}>
          Show more
        </Button>
      )}
    </Stack>
  )
}

function Passage({ chunk }: { readonly chunk: ItemOf<'/admin/v1/documents/{id}/chunks'> }) {
  const { headings, content, tokens, flagged } = chunk
  return (
    <Paper withBorder p="sm">
      <Group gap="xs" mb={4}>
        <Text size="xs" c="dimmed">
          {[...headings, `${tokens} tokens`].join(' › ')}
        </Text>
        {flagged && (
          <Badge color="orange" variant="light" tt="none">
            instructions found
          </Badge>
        )}
      </Group>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {content}
      </Text>
    </Paper>
  )
}
