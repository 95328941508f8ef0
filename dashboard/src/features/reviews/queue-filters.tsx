import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { type Filter, FilterBar, type FilterValues } from '../../ui/filter-bar.tsx'
import { Views } from '../../views/views.tsx'
import { PENDING, type ReviewFilters } from './review-filters.ts'
import { type ReviewItem, STATES } from './review-item.ts'

interface QueueFiltersProps {
  readonly filters: ReviewFilters
  /** Items of the queue: their rules are the choices. */
  readonly items: readonly ReviewItem[]
  readonly onChange: (changes: FilterValues) => void
}

/** Filters and views of the queue. The filters that reviewers change most are one click away. */
export function QueueFilters({ filters, items, onChange }: QueueFiltersProps) {
  const { t } = useTranslation('reviews')
  const { allChoices: choices } = useApplicationNames()
  const { rule } = filters
  const rules = new Set([...items.flatMap((item) => item.rules.map(({ id }) => id)), ...(rule ? [rule] : [])])
  const choice = { kind: 'choice', pinned: true, searchable: true, width: 150 } as const
  const all: readonly Filter[] = [
    ...segmentsOf(t),
    {
      ...choice,
      name: 'state',
      label: t('filters.status'),
      searchable: false,
      fallback: PENDING,
      choices: STATES.map((value) => ({ value, label: t(`states.${value}`) })),
    },
    { ...choice, name: 'application', label: t('filters.application'), choices },
    {
      ...choice,
      name: 'rule',
      label: t('filters.rule'),
      choices: [...rules].toSorted().map((id) => ({ value: id, label: id })),
    },
    // Links set it: the queue is searched by user otherwise.
    ...(filters.user ? [{ name: 'user', label: t('filters.user'), kind: 'text' } as const] : []),
  ]
  return (
    <FilterBar filters={all} values={filters} onChange={onChange}>
      <Views page="reviews" />
    </FilterBar>
  )
}

const segmentsOf = (t: TFunction<'reviews'>): readonly Filter[] => [
  {
    name: 'kind',
    label: t('filters.kind'),
    kind: 'segments',
    pinned: true,
    choices: [
      { value: '', label: t('filters.all') },
      { value: 'hold', label: t('filters.holds') },
      { value: 'escalation', label: t('filters.escalations') },
    ],
  },
  {
    name: 'assignee',
    label: t('filters.assignee'),
    kind: 'segments',
    pinned: true,
    choices: [
      { value: '', label: t('filters.anyone') },
      { value: 'me', label: t('filters.mine') },
      { value: 'none', label: t('assignment.unassigned') },
    ],
  },
]
