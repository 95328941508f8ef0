import { Autocomplete, Group, Select, Switch } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { FilterField } from '../../ui/filter-field.tsx'
import { useTypedFilter } from '../../ui/use-typed-filter.ts'
import { type Filters, SCOPES } from './filters.ts'

interface MemoryFiltersProps {
  readonly filters: Filters
  readonly onChange: (changes: Partial<Filters>) => void
}

const OF = {
  user: 'User id',
  session: 'Session id',
  application: 'Application id',
  department: 'Department',
  project: 'Project',
  workspace: 'Workspace id',
} as const

/** By owner, and by who shares them. */
export function MemoryFilters({ filters, onChange }: MemoryFiltersProps) {
  return (
    <Group role="search" aria-label="Filter memories" gap="sm" align="flex-end">
      <Owner user={filters.user ?? ''} onChange={(user) => onChange({ user })} />
      <Select
        label="Shared with"
        placeholder="any scope"
        clearable
        data={SCOPES}
        value={filters.scope ?? null}
        onChange={(scope) => onChange({ scope: scope ?? undefined, of: undefined })}
      />
      {filters.scope && (
        <FilterField
          key={filters.scope}
          label={OF[filters.scope]}
          placeholder="any"
          value={filters.of ?? ''}
          onChange={(of) => onChange({ of })}
        />
      )}
      <Switch
        label="With history"
        mb={8}
        checked={filters.history === 'true'}
        onChange={({ currentTarget }) => onChange({ history: currentTarget.checked ? 'true' : undefined })}
      />
    </Group>
  )
}

/** Whose own: somebody of the directory, or whoever it was that an Application named. */
function Owner({ user, onChange }: { readonly user: string; readonly onChange: (user: string | undefined) => void }) {
  const { typed, change } = useTypedFilter(user, onChange)
  const [search] = useDebouncedValue(typed, 250)
  const enabled = useScopes().may('people:read')
  const query = { limit: 10, ...(search && { search }) }
  const { data } = useRead('/admin/v1/users', { params: { query } }, { enabled })
  return (
    <Autocomplete
      label="Owner"
      placeholder="anybody"
      data={(data?.data ?? []).map(({ id }) => id)}
      // The server has filtered them, by id and by name.
      filter={({ options }) => options}
      value={typed}
      onChange={change}
    />
  )
}
