import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { type Filter, FilterBar, type FilterValues } from '../../ui/filter-bar.tsx'
import { Views } from '../../views/views.tsx'
import { type Filters, MODES, SCOPES } from './filters.ts'

interface MemorySearchProps {
  readonly filters: Filters
  readonly onChange: (changes: FilterValues) => void
}

export function MemorySearch({ filters, onChange }: MemorySearchProps) {
  const { t } = useTranslation('memory')
  const { choices } = useApplicationNames()
  // The id of one scope means nothing in another.
  const change = (changes: FilterValues) => onChange('scope' in changes ? { ...changes, scopeId: undefined } : changes)
  return (
    <FilterBar filters={filtersOf(t, filters, choices)} values={{ ...filters }} onChange={change}>
      <Views page="memory" />
    </FilterBar>
  )
}

function filtersOf(t: TFunction<'memory'>, { scope }: Filters, applications: NonNullable<Filter['choices']>): readonly Filter[] {
  const scopes = SCOPES.map((value) => ({ value, label: t(`scopes.${value}`) }))
  return [
    { name: 'user', label: t('filters.owner'), kind: 'text', pinned: true, placeholder: t('filters.userId') },
    { name: 'scope', label: t('filters.scope'), kind: 'choice', pinned: true, choices: scopes },
    ...(scope ? [scopeFilter(t, scope, applications)] : []),
    { name: 'application', label: t('filters.storedBy'), kind: 'choice', searchable: true, choices: applications },
    {
      name: 'mode',
      label: t('filters.use'),
      kind: 'choice',
      choices: MODES.map((value) => ({ value, label: t(`filters.modes.${value}`) })),
    },
    {
      name: 'history',
      label: t('filters.versions'),
      kind: 'choice',
      pinned: true,
      placeholder: t('filters.current'),
      choices: [{ value: 'true', label: t('filters.all') }],
    },
  ]
}

/** The one user, Application … of a scope. */
function scopeFilter(
  t: TFunction<'memory'>,
  scope: NonNullable<Filters['scope']>,
  applications: NonNullable<Filter['choices']>,
): Filter {
  const common = { name: 'scopeId', label: t(`scopes.${scope}`), pinned: true } as const
  if (scope === 'application') return { ...common, kind: 'choice', searchable: true, choices: applications }
  return { ...common, kind: 'text', placeholder: t('filters.id') }
}
