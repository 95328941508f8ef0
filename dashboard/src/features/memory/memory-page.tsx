import { Badge, Box, Group, Text } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { EditButton } from './edit-button.tsx'
import { EraseAllButton, EraseButton } from './erase-button.tsx'
import { queryOf, readFilters } from './filters.ts'
import type { Memory } from './memory.ts'
import { MemorySearch } from './memory-search.tsx'
import { ScopeCell } from './scope-cell.tsx'

/** Memories by owner and scope, with correction and erasure. */
export function Page() {
  const { t } = useTranslation('memory')
  const [filters, setFilters] = useFilters(readFilters)
  const query = queryOf(filters)
  const list = useList('/admin/v1/memories', { params: { query } })
  const canEdit = useScopes().hasScope('memory:write')
  const columns: readonly Column<Memory>[] = [
    { header: t('columns.memory'), cell: (memory) => <Content memory={memory} /> },
    { header: t('columns.scope'), cell: (memory) => <ScopeCell {...memory} />, from: 'xs' },
    {
      header: t('columns.classification'),
      cell: ({ classification }) => <Classification level={classification} />,
      from: 'md',
    },
    { header: t('columns.created'), cell: ({ created_at }) => <Time at={created_at} />, from: 'lg' },
    ...(canEdit ? [actionsColumn(Actions)] : []),
  ]
  return (
    <Frame
      title={t('title')}
      description={t('description')}
      actions={canEdit && filters.user && <EraseAllButton key={filters.user} user={filters.user} />}
    >
      <MemorySearch filters={filters} onChange={setFilters} />
      <DataTable
        label={t('table')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={Object.keys(query).length > 0 ? <NoMatch /> : <NoMemories />}
      />
    </Frame>
  )
}

function NoMatch() {
  const { t } = useTranslation('memory')
  return <EmptyState title={t('noMatch.title')}>{t('noMatch.hint')}</EmptyState>
}

function NoMemories() {
  const { t } = useTranslation('memory')
  return (
    <EmptyState title={t('empty.title')} action={<LinkButton to="/applications">{t('empty.action')}</LinkButton>}>
      {t('empty.hint')}
    </EmptyState>
  )
}

function Content({ memory }: { readonly memory: Memory }) {
  const { t } = useTranslation('memory')
  const { content, summary, kind, source, mode, superseded_at, expires_at } = memory
  const isSuperseded = superseded_at !== null
  return (
    <Box>
      <Text size="sm" {...(isSuperseded && { c: 'dimmed', td: 'line-through' })} style={{ overflowWrap: 'anywhere' }}>
        {summary ?? content}
      </Text>
      <Group gap={8}>
        <Detail>{t('origin', { kind: t(`kinds.${kind}`), source: t(`sources.${source}`) })}</Detail>
        {expires_at && (
          <Detail>
            <Trans ns="memory" i18nKey="expires" components={{ time: <Time at={expires_at} /> }} />
          </Detail>
        )}
        {isSuperseded && <Badge color="gray">{t('superseded')}</Badge>}
        {mode === 'audit_only' && (
          <Badge color="gray" title={t('auditOnlyHint')}>
            {t('auditOnly')}
          </Badge>
        )}
      </Group>
    </Box>
  )
}

const Detail = ({ children }: { readonly children: React.ReactNode }) => (
  <Text size="xs" c="dimmed" span>
    {children}
  </Text>
)

const Actions = (memory: Memory) => (
  <Group gap={4} justify="flex-end">
    {memory.superseded_at === null && <EditButton memory={memory} />}
    <EraseButton memory={memory} />
  </Group>
)
