import { Text } from '@mantine/core'
import { useApplicationNames } from '../../api/application-names.ts'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import { isStatusWrong, queryOf, readFilters } from './audit-filters.ts'
import { type AuditRecord, eventOf, recordOf } from './audit-record.ts'
import { AuditSearch } from './audit-search.tsx'
import { ExportButton } from './export-button.tsx'
import { TamperingAlert } from './tampering-alert.tsx'
import { VerifyButton } from './verify-button.tsx'

/** The audit log: every exchange and every change, newest first. */
export function Page() {
  const [filters, setFilters] = useFilters(readFilters)
  const { nameOf } = useApplicationNames()
  const checks = useScopes().may('audit:write')
  const query = queryOf(filters)
  const { items, ...list } = useList(
    '/admin/v1/audit',
    { params: { query: { limit: 50, ...query } } },
    { enabled: !isStatusWrong(filters) },
  )
  const columns: Column<AuditRecord>[] = [
    {
      header: 'When',
      cell: ({ id, created_at }) => (
        <Link to={`/audit/${id}`} size="sm">
          <Time at={created_at} />
        </Link>
      ),
    },
    { header: 'What', cell: (record) => <Text size="sm">{eventOf(record)}</Text> },
    { header: 'Verdict', cell: ({ decision }) => <Verdict verdict={decision?.verdict} /> },
    { header: 'Risk', cell: ({ risk_level }) => <Level level={risk_level} />, from: 'sm' },
    { header: 'Application', cell: ({ application_id }) => application_id && nameOf(application_id), from: 'md' },
    { header: 'Status', cell: ({ status, error_code }) => (error_code ? `${status} ${error_code}` : status), from: 'md' },
    { header: 'Took', cell: ({ duration_ms }) => `${Math.round(duration_ms)} ms`, from: 'lg', align: 'right' },
  ]
  const filtered = Object.keys(query).length > 0
  return (
    <Frame
      title="Audit"
      description="Every exchange and every change, chained and signed. Never what was said."
      actions={
        checks && (
          <>
            <VerifyButton />
            <ExportButton filters={filters} />
          </>
        )
      }
    >
      <TamperingAlert />
      <AuditSearch filters={filters} onChange={setFilters} />
      {isStatusWrong(filters) ? (
        <EmptyState title="The status filter is not valid">Nothing is shown, because it would not be filtered.</EmptyState>
      ) : (
        <DataTable
          label="Records"
          list={{ ...list, items: items?.map(recordOf) }}
          columns={columns}
          keyOf={({ id }) => id}
          empty={
            filtered ? (
              <EmptyState title="Nothing was found">Fewer filters may show more.</EmptyState>
            ) : (
              <EmptyState title="No records yet">The first request through the gateway writes one.</EmptyState>
            )
          }
        />
      )}
    </Frame>
  )
}
