import { Text } from '@mantine/core'
import { useApplicationNames } from '../../api/application-names.ts'
import { type AuditRecord, eventOf, recordOf } from '../../api/audit-record.ts'
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
import { type AuditFilters, isStatusInvalid, queryOf, readFilters } from './audit-filters.ts'
import { AuditSearch } from './audit-search.tsx'
import { ExportButton } from './export-button.tsx'
import { TamperingAlert } from './tampering-alert.tsx'
import { VerifyButton } from './verify-button.tsx'

/** The audit log: requests and changes by operators, newest first. */
export function Page() {
  const [filters, setFilters] = useFilters(readFilters)
  const canVerify = useScopes().hasScope('audit:write')
  return (
    <Frame
      title="Audit log"
      description="Signed records of all requests and changes, without their content."
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
      <AuditSearch filters={filters} onChange={setFilters} />
      {isStatusInvalid(filters) ? (
        <EmptyState title="Invalid status filter">Enter a status such as 404, or a class such as 5xx.</EmptyState>
      ) : (
        <RecordsTable filters={filters} />
      )}
    </Frame>
  )
}

function RecordsTable({ filters }: { readonly filters: AuditFilters }) {
  const { nameOf } = useApplicationNames()
  const query = queryOf(filters)
  const { items, ...list } = useList('/admin/v1/audit', { params: { query: { limit: 50, ...query } } })
  const isFiltered = Object.keys(query).length > 0
  return (
    <DataTable
      label="Records"
      list={{ ...list, items: items?.map(recordOf) }}
      columns={columnsOf(nameOf)}
      keyOf={({ id }) => id}
      empty={
        isFiltered ? (
          <EmptyState title="No matching records">Remove or change filters.</EmptyState>
        ) : (
          <EmptyState title="No records yet">Send a request through the gateway to write the first record.</EmptyState>
        )
      }
    />
  )
}

const columnsOf = (nameOf: (applicationId: string) => string): readonly Column<AuditRecord>[] => [
  {
    header: 'Time',
    cell: ({ id, created_at }) => (
      <Link to={`/audit/${id}`} size="sm">
        <Time at={created_at} />
      </Link>
    ),
  },
  { header: 'Event', cell: (record) => <Text size="sm">{eventOf(record)}</Text> },
  { header: 'Verdict', cell: ({ decision }) => <Verdict verdict={decision?.verdict} /> },
  { header: 'Risk', cell: ({ risk_level }) => <Level level={risk_level} />, from: 'sm' },
  { header: 'Application', cell: ({ application_id }) => application_id && nameOf(application_id), from: 'md' },
  { header: 'HTTP status', cell: ({ status, error_code }) => (error_code ? `${status} ${error_code}` : status), from: 'md' },
  { header: 'Duration', cell: ({ duration_ms }) => `${Math.round(duration_ms)} ms`, from: 'lg', align: 'right' },
]
