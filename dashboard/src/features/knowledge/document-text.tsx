import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
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
  const { t } = useTranslation('knowledge')
  const [isOpen, setOpen] = useState(false)
  if (!useScopes().hasScope('knowledge:content')) return <MissingScope />
  return (
    <Section title={t('text.title')}>
      {isOpen ? (
        <Chunks documentId={documentId} />
      ) : (
        <Group>
          <Button variant="default" onClick={() => setOpen(true)}>
            {t('text.show')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('text.recorded', { count: chunks })}
          </Text>
        </Group>
      )}
    </Section>
  )
}

function MissingScope() {
  const { t } = useTranslation('knowledge')
  return (
    <Section title={t('text.title')}>
      <Text size="sm" c="dimmed">
        {t('text.missingScope')}
      </Text>
    </Section>
  )
}

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
  const { t } = useTranslation('knowledge')
  const { headings, content, tokens, flagged } = chunk
  return (
    <Paper withBorder p="sm">
      <Group gap="xs" mb={4}>
        {headings.length > 0 && (
          <Text size="xs" fw={500}>
            {headings.join(' › ')}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {t('text.tokens', { count: tokens })}
        </Text>
        {flagged && <Badge color="orange">{t('text.instructions')}</Badge>}
      </Group>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {content}
      </Text>
    </Paper>
  )
}
