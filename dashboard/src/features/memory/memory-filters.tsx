import { Autocomplete, Group, Select, Switch, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
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
  const [of, setOf] = useState(filters.of ?? '')
  const report = useDebouncedCallback((text: string) => onChange({ of: text.trim() || undefined }), 300)
  return (
    <Group role="search" aria-label="Filter memories" gap="sm" align="flex-end">
      <Owner user={filters.user ?? ''} onChange={(user) => onChange({ user })} />
      <Select
        label="Shared with"
        placeholder="any scope"
        clearable
        data={SCOPES}
        value={filters.scope ?? null}
        onChange={(scope) => {
          setOf('')
          onChange({ scope: scope ?? undefined, of: undefined })
        }}
      />
      {filters.scope && (
        <TextInput
          label={OF[filters.scope]}
          placeholder="any"
          value={of}
          onChange={({ currentTarget }) => {
            setOf(currentTarget.value)
            report(currentTarget.value)
          }}
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
  const [typed, setTyped] = useState(user)
  const [search] = useDebouncedValue(typed, 250)
  const report = useDebouncedCallback((id: string) => onChange(id.trim() || undefined), 400)
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
      onChange={(text) => {
        setTyped(text)
        report(text)
      }}
    />
  )
}
