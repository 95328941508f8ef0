import { Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useLongList } from '../../api/long-list.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { oneOf, useFilters } from '../../routing/location.ts'
import { ColumnChooser, useColumnChoice } from '../../ui/column-chooser.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { formatSort, parseSort, type Sort } from '../../ui/table-sort.ts'
import { columnsOf } from './audit-columns.tsx'
import { type AuditFilters, problemOf, readFilters, SORTS, useAuditQuery } from './audit-filters.ts'
import { AuditSearch } from './audit-search.tsx'
import { useEventNames } from './event-names.ts'
import { ExportButton } from './export-button.tsx'
import { TamperingAlert } from './tampering-alert.tsx'
import { useActorNames } from './use-actor-names.ts'
import { VerifyButton } from './verify-button.tsx'

/** The audit log: requests and changes by operators, newest first. */
export function Page() {
  const { t } = useTranslation('audit')
  const [filters, setFilters] = useFilters(readFilters)
  const sortBy = (sort: Sort | undefined) => setFilters({ sort: oneOf(SORTS, sort && formatSort(sort)) })
  const all = useColumns()
  const choice = useColumnChoice('audit', all)
  const problem = problemOf(filters)
  const canVerify = useScopes().hasScope('audit:write')
  return (
    <Frame
      title={t('title')}
      description={t('description')}
      actions={
        canVerify && (
          <>
            <VerifyButton />
            <ExportButton filters={filters} />
          </>
        )
      }
    >
      <TamperingAlert />
      <Stack gap="xs">
        <AuditSearch filters={filters} onChange={setFilters}>
          <ColumnChooser all={all} choice={choice} />
        </AuditSearch>
        {problem ? (
          <EmptyState title={t('filters.invalid.title')}>{t(`filters.invalid.${problem}`)}</EmptyState>
        ) : (
          <RecordsTable filters={filters} columns={choice.columns} onSort={sortBy} />
        )}
      </Stack>
    </Frame>
  )
}

interface RecordsTableProps {
  readonly filters: AuditFilters
  readonly columns: readonly Column<AuditRecord>[]
  readonly onSort: (sort: Sort | undefined) => void
}

const PAGE_SIZE = 100

function RecordsTable({ filters, columns, onSort }: RecordsTableProps) {
  const { t } = useTranslation('audit')
  const query = useAuditQuery(filters)
  const sorted = filters.sort ? { sort: filters.sort } : {}
  const list = useLongList('/admin/v1/audit', { params: { query: { limit: PAGE_SIZE, ...query, ...sorted } } })
  const isFiltered = Object.keys(query).length > 0
  return (
    <>
      {filters.sort && (
        <Text size="sm" c="dimmed">
          {t('list.sorted')}
        </Text>
      )}
      <DataTable
        dense
        label={t('list.label')}
        list={list}
        columns={columns}
        keyOf={idOf}
        rowLink={pageOf}
        sort={{ value: parseSort(filters.sort), onChange: onSort }}
        empty={
          isFiltered ? (
            <EmptyState title={t('list.noMatch.title')}>{t('list.noMatch.hint')}</EmptyState>
          ) : (
            <EmptyState title={t('list.empty.title')}>{t('list.empty.hint')}</EmptyState>
          )
        }
      />
    </>
  )
}

const idOf = ({ id }: AuditRecord): string => id
const pageOf = ({ id }: AuditRecord): string => `/audit/${id}`

/** The same columns until a name changes, so that rows are rendered once. */
function useColumns() {
  const { t } = useTranslation('audit')
  const { nameOf: application, allChoices: choices } = useApplicationNames()
  const { actorOf: actor } = useActorNames()
  const { nameOf: event, rawOf: rawEvent } = useEventNames()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions change with each render
  return useMemo(() => columnsOf({ application, actor, event, rawEvent }, t), [choices.length, actor, t])
}
