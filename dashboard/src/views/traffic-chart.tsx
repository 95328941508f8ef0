import { useTranslation } from 'react-i18next'
import { OUTCOMES } from '../../../server/src/shared/request-outcome.ts'
import { useScopes } from '../api/session.ts'
import { formatCount } from '../ui/format-numbers.ts'
import { chartColorOf, outcomeLabel, type RequestOutcome } from '../ui/outcome.tsx'
import { TimeChart } from '../ui/time-chart.tsx'

/** Requests in one interval. */
interface TrafficPoint {
  readonly at: string
  readonly requests: number
  readonly outcomes: Readonly<Record<RequestOutcome, number>>
}

interface TrafficChartProps {
  readonly series: readonly TrafficPoint[]
  /** Filters of the audit log for the requests of the chart, besides their outcome. */
  readonly records: Readonly<Record<string, string | undefined>>
}

/** Requests over time, by outcome. Each outcome opens its records. */
export function TrafficChart({ series, records }: TrafficChartProps) {
  const { t } = useTranslation('ui')
  const canRead = useScopes().hasScope('audit:read')
  const known = OUTCOMES.map((outcome) => ({
    name: outcomeLabel(outcome),
    color: chartColorOf(outcome),
    values: series.map(({ outcomes }) => outcomes[outcome]),
    ...(canRead && { link: { to: '/audit', search: { ...records, outcome } } }),
  }))
  const others = series.map(({ requests, outcomes }) =>
    Math.max(requests - Object.values(outcomes).reduce((sum, count) => sum + count, 0), 0),
  )
  const kinds = [...known, { name: t('traffic.undecided'), color: 'dark', values: others }]
  return (
    <TimeChart
      label={t('traffic.label')}
      times={series.map(({ at }) => at)}
      series={kinds.filter(({ values }, index) => index === 0 || values.some((value) => value > 0))}
      format={formatCount}
    />
  )
}
