import { Autocomplete, Button, Group, Paper, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useAll, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import type { Search } from './search-filters.ts'

interface SearchFormProps {
  readonly search: Search
  readonly onSearch: (search: Search) => void
  /** The same once more. */
  readonly onAgain: () => void
  readonly pending: boolean
}

/** Who asks, through which Application, for what. Somebody of the directory brings what is known of them. */
export function SearchForm({ search, onSearch, onAgain, pending }: SearchFormProps) {
  const { may } = useScopes()
  const { q = '', application = '', user = '', role = '', department = '', clearance = '' } = search
  const initialValues = { q, application, user, role, department, clearance }
  const form = useForm({
    initialValues,
    validate: {
      q: (text) => (text.trim() === '' ? 'What are they looking for?' : null),
      application: (id) => (id ? null : 'Choose the Application that they use'),
    },
  })
  const values = form.getValues()
  const [typed] = useDebouncedValue(values.user, 250)
  const people = useRead(
    '/admin/v1/users',
    { params: { query: { limit: 10, ...(typed && { search: typed }) } } },
    { enabled: may('people:read') },
  )
  const applications = useAll('/admin/v1/applications', {}, { enabled: may('applications:read') })
  const users = people.data?.data ?? []

  const choose = (id: string) => {
    const chosen = users.find((one) => one.id === id)
    if (!chosen) return
    const known = chosen.attributes.clearance
    form.setValues({
      user: id,
      role: chosen.role,
      department: chosen.department,
      clearance: typeof known === 'string' ? known : '',
    })
  }
  const submit = (submitted: typeof initialValues) => {
    if (JSON.stringify(submitted) === JSON.stringify(initialValues)) return onAgain()
    onSearch({ ...submitted, clearance: submitted.clearance || undefined })
  }
  return (
    <Paper component="form" withBorder p="md" role="search" aria-label="Search as a user" onSubmit={form.onSubmit(submit)}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm">
        <Select
          label="Application"
          searchable
          limit={100}
          data={(applications.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('application')}
          value={values.application || null}
        />
        <Autocomplete
          label="User"
          placeholder="Anybody"
          data={users.map(({ id }) => id)}
          // The server has filtered them, by id and by name.
          filter={({ options }) => options}
          {...form.getInputProps('user')}
          onOptionSubmit={choose}
        />
        <TextInput label="Role" {...form.getInputProps('role')} />
        <TextInput label="Department" {...form.getInputProps('department')} />
        <Select
          label="Clearance"
          placeholder="by the Application"
          clearable
          data={CLASSIFICATIONS}
          {...form.getInputProps('clearance')}
          value={values.clearance || null}
          onChange={(level) => form.setFieldValue('clearance', level ?? '')}
        />
      </SimpleGrid>
      <Group mt="sm" gap="xs" align="flex-end">
        <TextInput label="Looks for" flex={1} miw={200} {...form.getInputProps('q')} />
        <Button type="submit" loading={pending}>
          Search
        </Button>
      </Group>
    </Paper>
  )
}
