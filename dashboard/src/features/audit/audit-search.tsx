import { Group, Select } from '@mantine/core'
import { useApplicationNames } from '../../api/application-names.ts'
import { oneOf } from '../../routing/location.ts'
import { FilterField } from '../../ui/filter-field.tsx'
import { type AuditFilters, ENDPOINTS, isStatusWrong, RISK_LEVELS, VERDICTS } from './audit-filters.ts'

interface AuditSearchProps {
  readonly filters: AuditFilters
  readonly onChange: (changes: Partial<AuditFilters>) => void
}

const VERDICT_CHOICES = [
  { value: 'allow', label: 'allowed' },
  { value: 'escalate', label: 'escalated' },
  { value: 'require_approval', label: 'held' },
  { value: 'deny', label: 'denied' },
]

/** Filters of the audit log. Text fields wait for a pause, each on its own. */
export function AuditSearch({ filters, onChange }: AuditSearchProps) {
  const { choices } = useApplicationNames()
  return (
    <Group gap="xs" align="flex-start" role="search">
      <Select
        label="Event"
        placeholder="any"
        w={170}
        clearable
        data={ENDPOINTS.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
        value={filters.endpoint ?? null}
        onChange={(value) => onChange({ endpoint: oneOf(ENDPOINTS, value) })}
      />
      <Select
        label="Verdict"
        placeholder="any"
        w={140}
        clearable
        data={VERDICT_CHOICES}
        value={filters.verdict ?? null}
        onChange={(value) => onChange({ verdict: oneOf(VERDICTS, value) })}
      />
      <Select
        label="Risk"
        placeholder="any"
        w={120}
        clearable
        data={[...RISK_LEVELS]}
        value={filters.risk ?? null}
        onChange={(value) => onChange({ risk: oneOf(RISK_LEVELS, value) })}
      />
      <Select
        label="Application"
        placeholder="any"
        w={180}
        clearable
        searchable
        limit={100}
        data={choices}
        value={filters.application ?? null}
        onChange={(value) => onChange({ application: value ?? undefined })}
      />
      <FilterField label="User id" placeholder="any" w={150} value={filters.user ?? ''} onChange={(user) => onChange({ user })} />
      <FilterField
        label="Status"
        placeholder="404 or 5xx"
        w={120}
        value={filters.status ?? ''}
        error={isStatusWrong(filters) && 'Use a status, such as 404, or a class, such as 5xx.'}
        onChange={(status) => onChange({ status })}
      />
      <FilterField label="From" type="datetime-local" value={filters.from ?? ''} onChange={(from) => onChange({ from })} />
      <FilterField label="Before" type="datetime-local" value={filters.to ?? ''} onChange={(to) => onChange({ to })} />
    </Group>
  )
}
