import { Autocomplete, Group, Paper, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useApplicationNames } from '../../api/application-names.ts'
import { useAll, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useDebouncedFilter } from '../../ui/use-debounced-filter.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

interface OptionsProps {
  readonly filters: PlaygroundFilters
  readonly onChange: (changes: Partial<PlaygroundFilters>) => void
}

/** No pause, because the next message uses these values from the URL. */
const NO_PAUSE_MS = 0

/** Options of the chat: Application, user, session, model, dry run and streaming. */
export function Options({ filters, onChange }: OptionsProps) {
  const { hasScope } = useScopes()
  const { choices } = useApplicationNames()
  const { application, as, user, session, model } = filters
  return (
    <Paper component="section" aria-label="Options" withBorder p="md">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm">
          <Select
            label="Application"
            placeholder="Select"
            searchable
            limit={100}
            allowDeselect={false}
            data={choices}
            value={application ?? null}
            onChange={(value) => onChange({ application: value ?? undefined })}
          />
          <DirectoryUser value={as} onChange={(value) => onChange({ as: value })} />
          <TextOption
            label="Asserted user ID"
            disabled={as !== undefined}
            value={user}
            onChange={(value) => onChange({ user: value })}
          />
          <TextOption label="Session" value={session} onChange={(value) => onChange({ session: value })} />
          <ModelOption value={model} onChange={(value) => onChange({ model: value })} />
        </SimpleGrid>
        <Switches filters={filters} onChange={onChange} />
        {application !== undefined && !hasScope('memory:write') && <MemoryNote application={application} />}
      </Stack>
    </Paper>
  )
}

function Switches({ filters: { dry, stream }, onChange }: OptionsProps) {
  return (
    <Group gap="lg">
      <Switch
        label="Dry run (evaluates policies, calls no model)"
        checked={dry === true}
        onChange={({ currentTarget }) => onChange({ dry: currentTarget.checked || undefined })}
      />
      <Switch
        label="Stream response"
        checked={stream === true}
        onChange={({ currentTarget }) => onChange({ stream: currentTarget.checked || undefined })}
      />
    </Group>
  )
}

interface OptionProps {
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

function TextOption({ label, disabled = false, value, onChange }: OptionProps & { label: string; disabled?: boolean }) {
  const { text, change } = useDebouncedFilter(value ?? '', onChange, NO_PAUSE_MS)
  return (
    <TextInput
      label={label}
      placeholder="None"
      disabled={disabled}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

function ModelOption({ value, onChange }: OptionProps) {
  const enabled = useScopes().hasScope('providers:read')
  const { items: models = [] } = useAll('/admin/v1/models', {}, { enabled })
  const { text, change } = useDebouncedFilter(value ?? '', onChange, NO_PAUSE_MS)
  const names = [...new Set(models.map(({ id }) => id))]
  return <Autocomplete label="Model" placeholder="Default" data={names} value={text} onChange={change} />
}

/** Selects a user of the directory. The server searches, because the directory can be large. */
function DirectoryUser({ value, onChange }: OptionProps) {
  const [text, setTyped] = useState('')
  const [search] = useDebouncedValue(text.trim(), 250)
  const enabled = useScopes().hasScope('people:read')
  const query = { limit: 20, ...(search && { search }) }
  const { data } = useRead('/admin/v1/users', { params: { query } }, { enabled })
  const users = (data?.data ?? []).map(({ id, username }) => ({ value: id, label: username }))
  // The selected user stays in the list during other searches.
  const isListed = value === undefined || users.some((one) => one.value === value)
  return (
    <Select
      label="Directory user"
      placeholder="None"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear directory user' }}
      data={isListed ? users : [{ value, label: value }, ...users]}
      filter={({ options }) => options}
      onSearchChange={setTyped}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}

/** Explains that the chat stores no memories without the scope memory:write. */
function MemoryNote({ application }: { readonly application: string }) {
  const { data } = useRead('/admin/v1/applications/{id}', { params: { path: { id: application } } })
  const memory = data?.settings.memory
  if (!memory?.enabled || memory.capture === 'off') return null
  return (
    <Text size="sm" c="dimmed">
      This chat stores no memories, because that requires the scope memory:write.
    </Text>
  )
}
