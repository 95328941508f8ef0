import { Group, SegmentedControl, Select } from '@mantine/core'
import { useApplicationNames } from '../../api/application-names.ts'
import { oneOf } from '../../routing/location.ts'
import type { ReviewFilters } from './review-filters.ts'
import { STATE_NAMES, STATES } from './review-item.ts'

interface QueueFiltersProps {
  readonly filters: ReviewFilters
  readonly onChange: (changes: Partial<ReviewFilters>) => void
}

export function QueueFilters({ filters: { state, kind, application }, onChange }: QueueFiltersProps) {
  const { choices } = useApplicationNames()
  return (
    <Group gap="xs">
      <SegmentedControl
        aria-label="Kind"
        data={[
          { value: 'all', label: 'All' },
          { value: 'hold', label: 'Holds' },
          { value: 'escalation', label: 'Escalations' },
        ]}
        value={kind ?? 'all'}
        onChange={(value) => onChange({ kind: oneOf(['hold', 'escalation'], value) })}
      />
      <Select
        aria-label="Status"
        w={150}
        allowDeselect={false}
        data={STATES.map((value) => ({ value, label: STATE_NAMES[value] }))}
        value={state}
        onChange={(value) => onChange({ state: value ?? 'pending' })}
      />
      <Select
        aria-label="Application"
        placeholder="All Applications"
        w={200}
        clearable
        searchable
        limit={100}
        data={choices}
        value={application ?? null}
        onChange={(value) => onChange({ application: value ?? undefined })}
      />
    </Group>
  )
}
