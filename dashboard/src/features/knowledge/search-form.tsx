import { Autocomplete, Button, Group, Paper, Select, SimpleGrid, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { classificationChoices } from '../../ui/classification.tsx'
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
  const { t } = useTranslation('knowledge')
  const { choices } = useApplicationNames()
  const { q = '', application = '', user = '', role = '', department = '', clearance = '' } = search
  const initialValues: Values = { q, application, user, role, department, clearance }
  const form = useForm<Values>({
    initialValues,
    validate: {
      q: (text) => (text.trim() === '' ? t('search.queryRequired') : null),
      application: (id) => (id ? null : t('search.applicationRequired')),
    },
  })
  const values = form.getValues()
  const submit = (submitted: Values) => {
    if (JSON.stringify(submitted) === JSON.stringify(initialValues)) return onRepeat()
    onSearch({ ...submitted, clearance: submitted.clearance || undefined })
  }
  return (
    <Paper component="form" withBorder p="md" role="search" aria-label={t('searchAsUser')} onSubmit={form.onSubmit(submit)}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm">
        <Select
          label={t('search.application')}
          placeholder={t('search.applicationHint')}
          searchable
          limit={100}
          data={choices}
          {...form.getInputProps('application')}
          value={values.application || null}
        />
        <UserField form={form} />
        <TextInput label={t('search.role')} placeholder={t('search.none')} {...form.getInputProps('role')} />
        <TextInput label={t('search.department')} placeholder={t('search.none')} {...form.getInputProps('department')} />
        <ClearanceField form={form} />
      </SimpleGrid>
      <Group mt="sm" gap="xs" align="flex-end">
        <TextInput label={t('search.query')} flex={1} miw={200} {...form.getInputProps('q')} />
        <Button type="submit" loading={pending}>
          {t('search.submit')}
        </Button>
      </Group>
    </Paper>
  )
}

interface FieldProps {
  readonly form: UseFormReturnType<Values>
}

function UserField({ form }: FieldProps) {
  const { t } = useTranslation('knowledge')
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
      label={t('search.user')}
      placeholder={t('search.none')}
      data={users.map(({ id }) => id)}
      // The server filters by id and name.
      filter={({ options }) => options}
      {...form.getInputProps('user')}
      onOptionSubmit={choose}
    />
  )
}

function ClearanceField({ form }: FieldProps) {
  const { t } = useTranslation('knowledge')
  return (
    <Select
      label={t('search.clearance')}
      placeholder={t('search.default')}
      clearable
      data={classificationChoices()}
      {...form.getInputProps('clearance')}
      value={form.getValues().clearance || null}
      onChange={(level) => form.setFieldValue('clearance', level ?? '')}
    />
  )
}
