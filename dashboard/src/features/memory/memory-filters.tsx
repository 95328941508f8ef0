import { Autocomplete, Group, Select, Switch } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { FilterField } from '../../ui/filter-field.tsx'
import { useDebouncedFilter } from '../../ui/use-debounced-filter.ts'
import { type Filters, SCOPES } from './filters.ts'

interface MemoryFiltersProps {
  readonly filters: Filters
  readonly onChange: (changes: Partial<Filters>) => void
}

const SCOPE_ID_LABELS = {
  user: 'User ID',
  session: 'Session ID',
  application: 'Application ID',
  department: 'Department',
  project: 'Project',
  workspace: 'Workspace ID',
} as const

/** Filters by owner, scope and history. */
export function MemoryFilters({ filters, onChange }: MemoryFiltersProps) {
  return (
    <Group role="search" aria-label="Filter memories" gap="sm" align="flex-end">
      <Owner user={filters.user ?? ''} onChange={(user) => onChange({ user })} />
      <Select
        label="Scope"
        placeholder="Any"
        clearable
        data={SCOPES}
        value={filters.scope ?? null}
        onChange={(scope) => onChange({ scope: scope ?? undefined, scopeId: undefined })}
      />
      {filters.scope && (
        <FilterField
          key={filters.scope}
          label={SCOPE_ID_LABELS[filters.scope]}
          placeholder="Any"
          value={filters.scopeId ?? ''}
          onChange={(scopeId) => onChange({ scopeId })}
        />
      )}
      <Switch
        label="Show history"
        mb={8}
        checked={filters.history === 'true'}
        onChange={({ currentTarget }) => onChange({ history: currentTarget.checked ? 'true' : undefined })}
      />
    </Group>
  )
}

/** Suggests users of the directory; asserted user ids can be typed. */
function Owner({ user, onChange }: { readonly user: string; readonly onChange: (user: string | undefined) => void }) {
  const { text, change } = useDebouncedFilter(user, onChange)
  const [search] = useDebouncedValue(text, 250)
  const enabled = useScopes().hasScope('people:read')
  const query = { limit: 10, ...(search && { search }) }
  const { data } = useRead('/admin/v1/users', { params: { query } }, { enabled })
  return (
    <Autocomplete
      label="Owner"
      placeholder="Any"
      data={(data?.data ?? []).map(({ id }) => id)}
      // The server filters by id and name.
      filter={({ options }) => options}
      value={text}
      onChange={change}
    />
  )
}
