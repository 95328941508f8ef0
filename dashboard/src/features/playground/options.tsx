import { Autocomplete, Group, Paper, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useApplicationNames } from '../../api/application-names.ts'
import { useAll, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useTypedFilter } from '../../ui/use-typed-filter.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

interface OptionsProps {
  readonly filters: PlaygroundFilters
  readonly onChange: (changes: Partial<PlaygroundFilters>) => void
}

/** The next message is sent as the user whose id is typed here: the address must not lag behind. */
const AT_ONCE = 0

/** Which Application asks, for whom, in which session, of which model, and how. */
export function Options({ filters, onChange }: OptionsProps) {
  const { may } = useScopes()
  const { choices } = useApplicationNames()
  const { items: models = [] } = useAll('/admin/v1/models', {}, { enabled: may('providers:read') })
  const { application, as, user, session, model, dry, stream } = filters
  const userField = useTypedFilter(user ?? '', (value) => onChange({ user: value }), AT_ONCE)
  const sessionField = useTypedFilter(session ?? '', (value) => onChange({ session: value }), AT_ONCE)
  const modelField = useTypedFilter(model ?? '', (value) => onChange({ model: value }), AT_ONCE)
  return (
    <Paper component="section" aria-label="As whom and how" withBorder p="md">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm">
          <Select
            label="Application"
            placeholder="Choose one"
            searchable
            limit={100}
            allowDeselect={false}
            data={choices}
            value={application ?? null}
            onChange={(value) => onChange({ application: value ?? undefined })}
          />
          <DirectoryUser value={as} onChange={(value) => onChange({ as: value })} />
          <TextInput
            label="Or user id sent by the Application"
            placeholder="none"
            disabled={as !== undefined}
            value={userField.typed}
            onChange={({ currentTarget }) => userField.change(currentTarget.value)}
          />
          <TextInput
            label="Session"
            placeholder="none"
            value={sessionField.typed}
            onChange={({ currentTarget }) => sessionField.change(currentTarget.value)}
          />
          <Autocomplete
            label="Model"
            placeholder="the default"
            data={[...new Set(models.map(({ id }) => id))]}
            value={modelField.typed}
            onChange={modelField.change}
          />
        </SimpleGrid>
        <Group gap="lg">
          <Switch
            label="Dry run: no model is called, nothing is held"
            checked={dry === true}
            onChange={({ currentTarget }) => onChange({ dry: currentTarget.checked || undefined })}
          />
          <Switch
            label="Streamed"
            checked={stream === true}
            onChange={({ currentTarget }) => onChange({ stream: currentTarget.checked || undefined })}
          />
        </Group>
        {application !== undefined && !may('memory:write') && <MemoryNote application={application} />}
      </Stack>
    </Paper>
  )
}

interface DirectoryUserProps {
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A user of the directory. The server searches, because there may be many. */
function DirectoryUser({ value, onChange }: DirectoryUserProps) {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 250)
  const enabled = useScopes().may('people:read')
  const query = { limit: 20, ...(search && { search }) }
  const { data } = useRead('/admin/v1/users', { params: { query } }, { enabled })
  const found = (data?.data ?? []).map(({ id, username }) => ({ value: id, label: username }))
  // The chosen one stays a choice, whoever else is searched for.
  const isFound = value === undefined || found.some((one) => one.value === value)
  return (
    <Select
      label="User of the directory"
      placeholder="none"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'No user of the directory' }}
      data={isFound ? found : [{ value, label: value }, ...found]}
      filter={({ options }) => options}
      onSearchChange={setTyped}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}

/** What a chat would leave behind, where the operator may not leave it. */
function MemoryNote({ application }: { readonly application: string }) {
  const { data } = useRead('/admin/v1/applications/{id}', { params: { path: { id: application } } })
  const memory = data?.settings.memory
  if (!memory?.enabled || memory.capture === 'off') return null
  return (
    <Text size="sm" c="dimmed">
      This Application remembers what it is told. Here nothing is stored: that needs the scope memory:write.
    </Text>
  )
}
