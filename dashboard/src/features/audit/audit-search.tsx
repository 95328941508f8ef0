import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { OUTCOMES } from '../../../../server/src/shared/request-outcome.ts'
import { useApplicationNames } from '../../api/application-names.ts'
import { useUserSuggestions } from '../../api/user-suggestions.ts'
import { PERIODS } from '../../routing/period.ts'
import { type Filter, FilterBar, type FilterValues } from '../../ui/filter-bar.tsx'
import { levelLabel } from '../../ui/level.tsx'
import { outcomeLabel } from '../../ui/outcome.tsx'
import { Views } from '../../views/views.tsx'
import {
  type AuditFilters,
  ENDPOINTS,
  isCostInvalid,
  isLatencyInvalid,
  isStatusInvalid,
  RISK_LEVELS,
  VERDICTS,
} from './audit-filters.ts'

interface AuditSearchProps {
  readonly filters: AuditFilters
  readonly onChange: (changes: FilterValues) => void
  /** Shown after the filters. */
  readonly children?: ReactNode
}

/** Filters and views of the audit log. */
export function AuditSearch({ filters, onChange, children }: AuditSearchProps) {
  const { t } = useTranslation('audit')
  const { allChoices: choices } = useApplicationNames()
  const users = useUserSuggestions()
  const { sort: _, ...values } = filters
  const pinned: readonly Filter[] = [
    {
      name: 'endpoint',
      label: t('filters.event'),
      kind: 'choice',
      pinned: true,
      choices: ENDPOINTS.map((value) => ({ value, label: t(`endpoints.${value}`) })),
      width: 160,
    },
    {
      name: 'outcome',
      label: t('filters.outcome'),
      kind: 'choices',
      pinned: true,
      choices: OUTCOMES.map((value) => ({ value, label: outcomeLabel(value) })),
      width: 140,
    },
    { name: 'user', label: t('filters.user'), kind: 'text', pinned: true, width: 130, ...users },
    { name: 'period', label: t('filters.period'), kind: 'period', pinned: true, periods: PERIODS },
  ]
  return (
    <FilterBar filters={[...pinned, ...furtherFilters(filters, choices, t)]} values={values} onChange={onChange}>
      <Views page="audit" />
      {children}
    </FilterBar>
  )
}

function furtherFilters(
  filters: AuditFilters,
  applications: NonNullable<Filter['choices']>,
  t: TFunction<'audit'>,
): readonly Filter[] {
  const text = (name: keyof AuditFilters, label: string, error?: string | false): Filter => ({
    name,
    label,
    kind: 'text',
    ...(error && { error }),
  })
  return [
    { name: 'application', label: t('filters.application'), kind: 'choice', searchable: true, choices: applications, width: 200 },
    {
      ...text('status', t('filters.status'), isStatusInvalid(filters) && t('filters.invalid.status')),
      placeholder: t('filters.statusExample'),
    },
    {
      name: 'verdict',
      label: t('filters.verdict'),
      kind: 'choices',
      choices: VERDICTS.map((value) => ({ value, label: t(`verdicts.${value}`) })),
    },
    text('model', t('filters.model')),
    text('provider', t('filters.provider')),
    text('rule', t('filters.rule')),
    {
      name: 'risk',
      label: t('filters.risk'),
      kind: 'choice',
      choices: RISK_LEVELS.map((value) => ({ value, label: levelLabel(value) })),
    },
    text('slower', t('filters.latency'), isLatencyInvalid(filters) && t('filters.invalid.latency')),
    text('costlier', t('filters.cost'), isCostInvalid(filters) && t('filters.invalid.cost')),
  ]
}
