import { Badge, Box, Group, Text } from '@mantine/core'
import { useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { CorrectButton } from './correct-button.tsx'
import { EraseButton } from './erase-button.tsx'
import { queryOf, readFilters } from './filters.ts'
import type { Memory } from './memory.ts'
import { MemoryFilters } from './memory-filters.tsx'

/** What models remember: by owner and by who shares it; corrected and erased for the people who are remembered. */
export function Page() {
  const [filters, setFilters] = useFilters(readFilters)
  const query = queryOf(filters)
  const list = useList('/admin/v1/memories', { params: { query } })
  const changes = useScopes().may('memory:write')
  const columns: readonly Column<Memory>[] = [
    { header: 'Remembered', cell: Content },
    { header: 'Shared with', cell: SharedWith, from: 'xs' },
    { header: 'Classification', cell: ({ classification }) => <Classification level={classification} />, from: 'md' },
    { header: 'Since', cell: ({ created_at }) => <Time at={created_at} />, from: 'lg' },
    ...(changes ? [{ header: 'Actions', hiddenHeader: true, align: 'right', cell: Actions } as const] : []),
  ]
  return (
    <Frame
      title="Memory"
      description="What is remembered of people and for them. That you have read it is recorded."
      actions={changes && filters.user && <EraseAll key={filters.user} userId={filters.user} />}
    >
      <MemoryFilters filters={filters} onChange={setFilters} />
      <DataTable
        label="Memories"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          Object.keys(query).length > 0 ? (
            <EmptyState title="Nothing is remembered like that">Take a filter away.</EmptyState>
          ) : (
            <EmptyState title="Nothing is remembered yet">
              Applications remember once memory is switched on in their settings.
            </EmptyState>
          )
        }
      />
    </Frame>
  )
}

function Content(memory: Memory) {
  const { content, summary, kind, source, superseded_at, expires_at } = memory
  const past = superseded_at !== null
  return (
    <Box>
      <Text size="sm" {...(past && { c: 'dimmed', td: 'line-through' })} style={{ overflowWrap: 'anywhere' }}>
        {summary ?? content}
      </Text>
      <Box hiddenFrom="xs">
        <SharedWith {...memory} />
      </Box>
      <Group gap={6}>
        <Text size="xs" c="dimmed">
          {kind.replace('_', ' ')}, {source}
        </Text>
        {past && (
          <Badge size="sm" color="gray" variant="light" tt="none">
            replaced
          </Badge>
        )}
        {expires_at && (
          <Text size="xs" c="dimmed">
            until <Time at={expires_at} />
          </Text>
        )}
      </Group>
    </Box>
  )
}

function SharedWith({ scope, scope_id, user_id }: Memory) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {scope}: {scope_id}
      {user_id && user_id !== scope_id && ` (${user_id})`}
    </Text>
  )
}

function Actions(memory: Memory) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {memory.superseded_at === null && <CorrectButton memory={memory} />}
      <EraseButton memory={memory} />
    </Group>
  )
}

function EraseAll({ userId }: { readonly userId: string }) {
  const erase = useChange('delete', '/admin/v1/users/{id}/memories', {
    refresh: ['/admin/v1/memories'],
    onDone: ({ erased }) => notifyDone(`${erased} ${erased === 1 ? 'memory is' : 'memories are'} erased.`),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={`Erase everything remembered of ${userId}?`}
      consequence="All of their own memories, those of their sessions and the history included, in every Application. This cannot be taken back."
      onConfirm={() => erase.mutateAsync({ params: { path: { id: userId } } })}
    >
      Erase all of {userId}
    </ConfirmButton>
  )
}
