import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useApplicationNames } from '../../api/application-names.ts'
import { oneOf } from '../../routing/location.ts'
import { type AuditFilters, ENDPOINTS, RISK_LEVELS, VERDICTS } from './audit-filters.ts'

interface AuditSearchProps {
  readonly filters: AuditFilters
  readonly onChange: (changes: Partial<AuditFilters>) => void
}

const PAUSE_MS = 350
const VERDICT_CHOICES = [
  { value: 'allow', label: 'allowed' },
  { value: 'escalate', label: 'escalated' },
  { value: 'require_approval', label: 'held' },
  { value: 'deny', label: 'denied' },
]

export function AuditSearch({ filters, onChange }: AuditSearchProps) {
  const { choices } = useApplicationNames()
  const onText = useDebouncedCallback(onChange, PAUSE_MS)
  return (
    <Group gap="xs" align="flex-end" role="search">
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
        data={choices}
        value={filters.application ?? null}
        onChange={(value) => onChange({ application: value ?? undefined })}
      />
      <TextInput
        label="User id"
        placeholder="any"
        w={140}
        defaultValue={filters.user ?? ''}
        onChange={({ currentTarget }) => onText({ user: currentTarget.value.trim() || undefined })}
      />
      <TextInput
        label="Status"
        placeholder="any"
        w={90}
        inputMode="numeric"
        defaultValue={filters.status ?? ''}
        onChange={({ currentTarget }) => onText({ status: currentTarget.value.trim() || undefined })}
      />
      <TextInput
        label="From"
        type="datetime-local"
        defaultValue={filters.from ?? ''}
        onChange={({ currentTarget }) => onText({ from: currentTarget.value || undefined })}
      />
      <TextInput
        label="Before"
        type="datetime-local"
        defaultValue={filters.to ?? ''}
        onChange={({ currentTarget }) => onText({ to: currentTarget.value || undefined })}
      />
    </Group>
  )
}
