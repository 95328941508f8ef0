import { Group, Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useTeamNames } from '../../api/team-names.ts'
import { useUserSuggestions } from '../../api/user-suggestions.ts'
import { oneOf } from '../../routing/location.ts'
import { type Filter, FilterBar, type FilterValues } from '../../ui/filter-bar.tsx'
import { Views } from '../../views/views.tsx'
import { GROUPS, INTERVALS, MEASURES, type UsageFilters, VERDICTS } from './usage-filters.ts'

interface FilterFieldsProps {
  readonly filters: UsageFilters
  readonly onChange: (changes: FilterValues) => void
}

/** Which requests are counted, and the saved views. */
export function RequestFilters({ filters, onChange }: FilterFieldsProps) {
  const { t } = useTranslation('usage')
  const { allChoices: choices } = useApplicationNames()
  const { choices: teams } = useTeamNames()
  const users = useUserSuggestions()
  const { application, verdict, model, provider, user, key, team } = filters
  const all: readonly Filter[] = [
    {
      name: 'application',
      label: t('filters.application'),
      kind: 'choice',
      pinned: true,
      searchable: true,
      choices,
      width: 180,
    },
    {
      name: 'verdict',
      label: t('filters.verdict'),
      kind: 'choice',
      pinned: true,
      choices: VERDICTS.map((value) => ({ value, label: t(`verdicts.${value}`) })),
    },
    { name: 'user', label: t('filters.user'), kind: 'text', pinned: true, ...users },
    { name: 'model', label: t('filters.model'), kind: 'text' },
    { name: 'provider', label: t('filters.provider'), kind: 'text' },
    { name: 'key', label: t('filters.key'), kind: 'text' },
    { name: 'team', label: t('filters.team'), kind: 'choice', searchable: true, choices: teams },
  ]
  return (
    <FilterBar filters={all} values={{ application, verdict, model, provider, user, key, team }} onChange={onChange}>
      <Views page="usage" />
    </FilterBar>
  )
}

export function GroupFields({ filters: { group, measure, interval }, onChange }: FilterFieldsProps) {
  const { t } = useTranslation('usage')
  return (
    <Group gap="xs">
      <Select
        label={t('group.label')}
        w={150}
        allowDeselect={false}
        data={GROUPS.map((value) => ({ value, label: t(`group.names.${value}`) }))}
        value={group}
        onChange={(value) => onChange({ group: oneOf(GROUPS, value) ?? 'application' })}
      />
      <Select
        label={t('measure.label')}
        w={130}
        allowDeselect={false}
        data={MEASURES.map((value) => ({ value, label: t(`measure.names.${value}`) }))}
        value={measure}
        onChange={(value) => onChange({ measure: oneOf(MEASURES, value) ?? 'requests' })}
      />
      <Select
        label={t('interval.label')}
        w={120}
        clearable
        placeholder={t('interval.auto')}
        data={INTERVALS.map((value) => ({ value, label: t(`interval.names.${value}`) }))}
        value={interval ?? null}
        onChange={(value) => onChange({ interval: oneOf(INTERVALS, value) })}
      />
    </Group>
  )
}
