import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { ResponseOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import type { ListedApplication } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { oneOf, useFilters } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Filter, FilterBar } from '../../ui/filter-bar.tsx'
import { formatCount, formatDollars } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { formatSort, parseSort } from '../../ui/table-sort.ts'
import { Time } from '../../ui/time.tsx'
import { CreateButton } from './create-button.tsx'

export type Application = ResponseOf<'get', '/admin/v1/applications/{id}'>

const SORTS = ['name', '-name', 'last_used', '-last_used', 'requests', '-requests', 'cost', '-cost'] as const
const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  sort: oneOf(SORTS, search.sort),
  show: oneOf(['archived'] as const, search.show),
})

/** The Workspace's Applications with their use. The server sorts them, because the list has pages. */
export function Page() {
  const { t } = useTranslation('applications')
  const [{ sort, show }, setFilters] = useFilters(readFilters)
  const { hasScope } = useScopes()
  const [canCreate, hasUsage] = [hasScope('applications:write'), hasScope('audit:read')]
  const query = { ...(hasUsage && { usage: 'true' as const }), ...(sort && { sort }), ...(show && { archived: 'true' as const }) }
  const list = useList('/admin/v1/applications', { params: { query } })
  const columns: readonly Column<ListedApplication>[] = [
    { header: t('columns.name'), cell: ({ id, name }) => <Link to={`/applications/${id}`}>{name}</Link>, sortBy: 'name' },
    { header: t('columns.models'), cell: ({ models }) => <Models models={models} />, from: 'md' },
    { header: t('columns.ceiling'), cell: ({ ceiling }) => <Classification level={ceiling} /> },
    {
      header: t('columns.lastUsed'),
      cell: ({ last_used_at }) => <Time at={last_used_at} fallback={t('columns.never')} />,
      from: 'sm',
      sortBy: 'last_used',
    },
    ...(hasUsage ? usageColumns(t('columns.requests'), t('columns.cost')) : []),
    { header: t('columns.created'), cell: ({ created_at }) => <Time at={created_at} />, from: 'lg' },
  ]
  return (
    <Frame title={t('title')} description={t('description')} actions={canCreate && <CreateButton />}>
      <FilterBar filters={[archivedFilter(t)]} values={{ show }} onChange={setFilters} />
      <DataTable
        label={t('title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        sort={{ value: parseSort(sort), onChange: (next) => setFilters({ sort: oneOf(SORTS, next && formatSort(next)) }) }}
        empty={
          show ? (
            <EmptyState title={t('archived.none')}>{t('archived.noneHint')}</EmptyState>
          ) : (
            <EmptyState title={t('none.title')} action={canCreate && <CreateButton />}>
              {canCreate ? t('none.create') : t('none.ask')}
            </EmptyState>
          )
        }
      />
    </Frame>
  )
}

const archivedFilter = (t: TFunction<'applications'>): Filter => ({
  name: 'show',
  label: t('archived.show'),
  kind: 'segments',
  pinned: true,
  choices: [
    { value: '', label: t('archived.inUse') },
    { value: 'archived', label: t('archived.archived') },
  ],
})

/** Requests and cost of the last 30 days. */
const usageColumns = (requests: string, cost: string): readonly Column<ListedApplication>[] => [
  { header: requests, cell: ({ usage }) => formatCount(usage?.requests ?? 0), align: 'right', sortBy: 'requests' },
  { header: cost, cell: ({ usage }) => formatDollars(usage?.cost ?? null), align: 'right', from: 'sm', sortBy: 'cost' },
]

const SHOWN_MODELS = 2

/** The first models; all of them on hover. */
function Models({ models }: Pick<Application, 'models'>) {
  const { t } = useTranslation('applications')
  if (models === null) return t('columns.allModels')
  const more = models.length - SHOWN_MODELS
  const shown = models.slice(0, SHOWN_MODELS).join(', ')
  return <span title={models.join(', ')}>{more > 0 ? t('columns.moreModels', { models: shown, count: more }) : shown}</span>
}
