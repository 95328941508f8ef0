import { Badge, Box, Group, Text } from '@mantine/core'
import { useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { CorrectButton } from './correct-button.tsx'
import { EraseButton } from './erase-button.tsx'
import { queryOf, readFilters } from './filters.ts'
import type { Memory } from './memory.ts'
import { MemoryFilters } from './memory-filters.tsx'

/** Memories by owner and scope, with correction and erasure. */
export function Page() {
  const [filters, setFilters] = useFilters(readFilters)
  const query = queryOf(filters)
  const list = useList('/admin/v1/memories', { params: { query } })
  const canEdit = useScopes().hasScope('memory:write')
  const columns: readonly Column<Memory>[] = [
    { header: 'Memory', cell: Content },
    { header: 'Scope', cell: ScopeCell, from: 'xs' },
    { header: 'Classification', cell: ({ classification }) => <Classification level={classification} />, from: 'md' },
    { header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, from: 'lg' },
    ...(canEdit ? [actionsColumn(Actions)] : []),
  ]
  return (
    <Frame
      title="Memory"
      description="Stored facts by owner and scope. The audit log records that you read them."
      actions={canEdit && filters.user && <EraseAll key={filters.user} userId={filters.user} />}
    >
      <MemoryFilters filters={filters} onChange={setFilters} />
      <DataTable
        label="Memories"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          Object.keys(query).length > 0 ? (
            <EmptyState title="No matching memories">Remove or change filters.</EmptyState>
          ) : (
            <EmptyState title="No memories yet">Enable memory in the settings of an Application.</EmptyState>
          )
        }
      />
    </Frame>
  )
}

function Content(memory: Memory) {
  const { content, summary, kind, source, superseded_at, expires_at } = memory
  const isSuperseded = superseded_at !== null
  return (
    <Box>
      <Text size="sm" {...(isSuperseded && { c: 'dimmed', td: 'line-through' })} style={{ overflowWrap: 'anywhere' }}>
        {summary ?? content}
      </Text>
      <Box hiddenFrom="xs">
        <ScopeCell {...memory} />
      </Box>
      <Group gap={6}>
        <Text size="xs" c="dimmed">
          {kind.replace('_', ' ')}, {source}
        </Text>
        {isSuperseded && (
          <Badge size="sm" color="gray">
            Superseded
          </Badge>
        )}
        {expires_at && (
          <Text size="xs" c="dimmed">
            Expires <Time at={expires_at} />
          </Text>
        )}
      </Group>
    </Box>
  )
}

function ScopeCell({ scope, scope_id, user_id }: Memory) {
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
    onDone: ({ erased, erased_responses: responses }) =>
      notifySuccess(
        `${erased} ${erased === 1 ? 'memory' : 'memories'} and ${responses} stored ${responses === 1 ? 'response' : 'responses'} erased.`,
      ),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={`Erase all memories and stored responses of ${userId}?`}
      consequence="Erases the user's memories, with sessions and history, and the user's stored responses in all Applications. This cannot be undone."
      onConfirm={() => erase.mutateAsync({ params: { path: { id: userId } } })}
    >
      Erase all memories of {userId}
    </ConfirmButton>
  )
}
