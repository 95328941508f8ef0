import { useTranslation } from 'react-i18next'
import { formatCount, formatDollars } from '../../ui/format-numbers.ts'
import { shortHash } from '../../ui/short-hash.ts'
import { TimeChart } from '../../ui/time-chart.tsx'
import type { UsageFilters } from './usage-filters.ts'
import type { Usage } from './usage-table.tsx'

const COLORS = ['blue', 'teal', 'grape', 'orange', 'cyan', 'pink'] as const

/** The measure over time: the largest groups, and the rest together. */
export function UsageChart({
  usage: { series, groups },
  filters: { group, measure },
}: {
  readonly usage: Usage
  readonly filters: UsageFilters
}) {
  const { t } = useTranslation('usage')
  const shown = groups.slice(0, COLORS.length)
  const kinds = shown.map(({ value, label, series: of }, index) => ({
    name: value === '' ? t(`none.${group}`) : shorten(label ?? (group === 'user' ? shortHash(value) : value)),
    color: COLORS[index] ?? 'gray',
    values: of[measure].map((amount) => amount ?? 0),
  }))
  const totals = series.map(({ requests, tokens, cost }) => ({ requests, tokens: tokens.total, cost: cost ?? 0 })[measure])
  const rest = totals.map((total, at) => Math.max(total - kinds.reduce((sum, { values }) => sum + (values[at] ?? 0), 0), 0))
  const all = rest.some((amount) => amount > REST_FROM) ? [...kinds, { name: t('other'), color: 'gray', values: rest }] : kinds
  return (
    <TimeChart
      label={t(`measure.names.${measure}`)}
      times={series.map(({ at }) => at)}
      series={all}
      format={measure === 'cost' ? formatDollars : formatCount}
      height={240}
    />
  )
}

/** Sums of costs differ in their last digits. */
const REST_FROM = 1e-9
const MOST_LETTERS = 28
const shorten = (name: string): string => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name)
