import { Group, Select } from '@mantine/core'
import { useApplicationNames } from '../../api/application-names.ts'
import { oneOf } from '../../routing/location.ts'
import { FilterField } from '../../ui/filter-field.tsx'
import { type AuditFilters, ENDPOINTS, isStatusInvalid, RISK_LEVELS, VERDICTS } from './audit-filters.ts'

interface AuditSearchProps {
  readonly filters: AuditFilters
  readonly onChange: (changes: Partial<AuditFilters>) => void
}

const VERDICT_LABELS = { allow: 'Allowed', escalate: 'Escalated', require_approval: 'Held', deny: 'Denied' } as const
const VERDICT_CHOICES = VERDICTS.map((value) => ({ value, label: VERDICT_LABELS[value] }))
const ENDPOINT_CHOICES = ENDPOINTS.map((value) => ({ value, label: value.replaceAll('_', ' ') }))
const RISK_CHOICES = RISK_LEVELS.map((value) => ({ value, label: value }))

/** Filters of the audit log. */
export function AuditSearch({ filters, onChange }: AuditSearchProps) {
  const { choices } = useApplicationNames()
  const { endpoint, verdict, risk, application, user, status, from, to } = filters
  return (
    <Group gap="xs" align="flex-start" role="search">
      <ChoiceFilter
        label="Event"
        width={170}
        choices={ENDPOINT_CHOICES}
        value={endpoint}
        onChange={(value) => onChange({ endpoint: oneOf(ENDPOINTS, value) })}
      />
      <ChoiceFilter
        label="Verdict"
        width={140}
        choices={VERDICT_CHOICES}
        value={verdict}
        onChange={(value) => onChange({ verdict: oneOf(VERDICTS, value) })}
      />
      <ChoiceFilter
        label="Risk"
        width={120}
        choices={RISK_CHOICES}
        value={risk}
        onChange={(value) => onChange({ risk: oneOf(RISK_LEVELS, value) })}
      />
      <ChoiceFilter
        label="Application"
        width={180}
        searchable
        choices={choices}
        value={application}
        onChange={(value) => onChange({ application: value ?? undefined })}
      />
      <FilterField label="User ID" placeholder="Any" w={150} value={user ?? ''} onChange={(value) => onChange({ user: value })} />
      <FilterField
        label="HTTP status"
        placeholder="404 or 5xx"
        w={120}
        value={status ?? ''}
        error={isStatusInvalid(filters) && 'Enter a status such as 404, or a class such as 5xx.'}
        onChange={(value) => onChange({ status: value })}
      />
      <FilterField label="From" type="datetime-local" value={from ?? ''} onChange={(value) => onChange({ from: value })} />
      <FilterField label="Before" type="datetime-local" value={to ?? ''} onChange={(value) => onChange({ to: value })} />
    </Group>
  )
}

interface ChoiceFilterProps {
  readonly label: string
  /** In pixels. */
  readonly width: number
  readonly searchable?: boolean
  readonly choices: ReturnType<typeof useApplicationNames>['choices']
  readonly value: string | undefined
  readonly onChange: (value: string | null) => void
}

function ChoiceFilter({ label, width, searchable = false, choices, value, onChange }: ChoiceFilterProps) {
  return (
    <Select
      label={label}
      placeholder="Any"
      w={width}
      clearable
      searchable={searchable}
      limit={100}
      data={choices}
      value={value ?? null}
      onChange={onChange}
    />
  )
}
