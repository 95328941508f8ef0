import { Collapse, Select, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useDebouncedFilter } from '../../ui/use-debounced-filter.ts'
import type { Parameters } from './parameters.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

interface UserFieldsProps {
  readonly filters: PlaygroundFilters
  readonly parameters: Parameters
  readonly onChange: (changes: Partial<PlaygroundFilters>) => void
  readonly onParameters: (changes: Partial<Parameters>) => void
}

/** The user and session of the chat: a user of the directory, or one that the Application asserts. */
export function UserFields({ filters: { as, user, session }, parameters, onChange, onParameters }: UserFieldsProps) {
  const { t } = useTranslation('playground')
  return (
    <>
      <DirectoryUser value={as} onChange={(value) => onChange({ as: value })} />
      <Collapse expanded={as === undefined}>
        <Stack gap="sm">
          <TextOption label={t('user.asserted')} value={user} onChange={(value) => onChange({ user: value })} />
          <Collapse expanded={user !== undefined}>
            <Stack gap="sm">
              <TextInput
                label={t('user.role')}
                value={parameters.role}
                onChange={({ currentTarget }) => onParameters({ role: currentTarget.value })}
              />
              <TextInput
                label={t('user.department')}
                value={parameters.department}
                onChange={({ currentTarget }) => onParameters({ department: currentTarget.value })}
              />
            </Stack>
          </Collapse>
        </Stack>
      </Collapse>
      <TextOption label={t('user.session')} value={session} onChange={(value) => onChange({ session: value })} />
    </>
  )
}

interface OptionProps {
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** No pause, because the next message uses these values from the URL. */
const NO_PAUSE_MS = 0

function TextOption({ label, value, onChange }: OptionProps & { readonly label: string }) {
  const { t } = useTranslation('playground')
  const { text, change } = useDebouncedFilter(value ?? '', onChange, NO_PAUSE_MS)
  return (
    <TextInput
      label={label}
      placeholder={t('user.none')}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

/** Selects a user of the directory. The server searches, because the directory can be large. */
function DirectoryUser({ value, onChange }: OptionProps) {
  const { t } = useTranslation('playground')
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
      label={t('user.directory')}
      description={t('user.directoryHint')}
      placeholder={t('user.none')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('user.clear') }}
      data={isListed ? users : [{ value, label: value }, ...users]}
      filter={({ options }) => options}
      onSearchChange={setTyped}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}
