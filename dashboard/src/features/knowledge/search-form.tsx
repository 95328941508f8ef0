import { Autocomplete, Button, Group, Paper, Select, SimpleGrid, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import type { Search } from './search-filters.ts'

interface SearchFormProps {
  readonly search: Search
  readonly onSearch: (search: Search) => void
  /** Called if the search is unchanged. */
  readonly onRepeat: () => void
  readonly pending: boolean
}

type Values = Readonly<Record<keyof Search, string>>

/** Query, Application and user of a search. Selecting a directory user fills in the user's attributes. */
export function SearchForm({ search, onSearch, onRepeat, pending }: SearchFormProps) {
  const { choices } = useApplicationNames()
  const { q = '', application = '', user = '', role = '', department = '', clearance = '' } = search
  const initialValues: Values = { q, application, user, role, department, clearance }
  const form = useForm<Values>({
    initialValues,
    validate: {
      q: (text) => (text.trim() === '' ? 'Enter a query' : null),
      application: (id) => (id ? null : 'Select the Application of the user'),
    },
  })
  const values = form.getValues()
  const submit = (submitted: Values) => {
    if (JSON.stringify(submitted) === JSON.stringify(initialValues)) return onRepeat()
    onSearch({ ...submitted, clearance: submitted.clearance || undefined })
  }
  return (
    <Paper component="form" withBorder p="md" role="search" aria-label="Search as user" onSubmit={form.onSubmit(submit)}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm">
        <Select
          label="Application"
          searchable
          limit={100}
          data={choices}
          {...form.getInputProps('application')}
          value={values.application || null}
        />
        <UserField form={form} />
        <TextInput label="Role" {...form.getInputProps('role')} />
        <TextInput label="Department" {...form.getInputProps('department')} />
        <ClearanceField form={form} />
      </SimpleGrid>
      <Group mt="sm" gap="xs" align="flex-end">
        <TextInput label="Query" flex={1} miw={200} {...form.getInputProps('q')} />
        <Button type="submit" loading={pending}>
          Search
        </Button>
      </Group>
    </Paper>
  )
}

interface FieldProps {
  readonly form: UseFormReturnType<Values>
}

function UserField({ form }: FieldProps) {
  const enabled = useScopes().hasScope('people:read')
  const [search] = useDebouncedValue(form.getValues().user, 250)
  const query = { limit: 10, ...(search && { search }) }
  const { data } = useRead('/admin/v1/users', { params: { query } }, { enabled })
  const users = data?.data ?? []
  const choose = (id: string) => {
    const user = users.find((one) => one.id === id)
    if (!user) return
    const { role, department, attributes } = user
    const clearance = typeof attributes.clearance === 'string' ? attributes.clearance : ''
    form.setValues({ user: id, role, department, clearance })
  }
  return (
    <Autocomplete
      label="User"
      placeholder="Any"
      data={users.map(({ id }) => id)}
      // The server filters by id and name.
      filter={({ options }) => options}
      {...form.getInputProps('user')}
      onOptionSubmit={choose}
    />
  )
}

function ClearanceField({ form }: FieldProps) {
  return (
    <Select
      label="Clearance"
      placeholder="Default"
      clearable
      data={CLASSIFICATIONS}
      {...form.getInputProps('clearance')}
      value={form.getValues().clearance || null}
      onChange={(level) => form.setFieldValue('clearance', level ?? '')}
    />
  )
}
