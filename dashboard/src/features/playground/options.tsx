import { Autocomplete, Group, Paper, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useApplicationNames } from '../../api/application-names.ts'
import { useList, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

interface OptionsProps {
  readonly filters: PlaygroundFilters
  readonly onChange: (changes: Partial<PlaygroundFilters>) => void
}

const FIRST = { params: { query: { limit: 100 } } }

/** Which Application asks, for whom, in which session, of which model, and how. */
export function Options({ filters, onChange }: OptionsProps) {
  const { may } = useScopes()
  const { choices } = useApplicationNames()
  const { items: users = [] } = useList('/admin/v1/users', FIRST, { enabled: may('people:read') })
  const { items: models = [] } = useList('/admin/v1/models', FIRST, { enabled: may('providers:read') })
  const { application, as, user, session, model, dry, stream } = filters
  return (
    <Paper component="section" aria-label="As whom and how" withBorder p="md">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm">
          <Select
            label="Application"
            placeholder="Choose one"
            searchable
            allowDeselect={false}
            data={choices}
            value={application ?? null}
            onChange={(value) => onChange({ application: value ?? undefined })}
          />
          <Select
            label="User of the directory"
            placeholder="nobody"
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'Nobody of the directory' }}
            data={users.map(({ id, username }) => ({ value: id, label: username }))}
            value={as ?? null}
            onChange={(value) => onChange({ as: value ?? undefined })}
          />
          <TextInput
            label="Or whom it asserts"
            placeholder="a user id"
            disabled={as !== undefined}
            value={user ?? ''}
            onChange={({ currentTarget }) => onChange({ user: currentTarget.value || undefined })}
          />
          <TextInput
            label="Session"
            placeholder="none"
            value={session ?? ''}
            onChange={({ currentTarget }) => onChange({ session: currentTarget.value || undefined })}
          />
          <Autocomplete
            label="Model"
            placeholder="the default"
            data={[...new Set(models.map(({ id }) => id))]}
            value={model ?? ''}
            onChange={(value) => onChange({ model: value || undefined })}
          />
        </SimpleGrid>
        <Group gap="lg">
          <Switch
            label="Dry run: no model is asked, nothing is held"
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
