import { useTranslation } from 'react-i18next'
import { formatCount } from './format-numbers.ts'
import { TimeChart } from './time-chart.tsx'

/** Requests in one interval. */
interface TrafficPoint {
  readonly at: string
  readonly requests: number
  readonly verdicts: Readonly<Record<'allow' | 'escalate' | 'require_approval' | 'deny', number>>
}

/** Requests over time, by verdict. */
export function TrafficChart({ series }: { readonly series: readonly TrafficPoint[] }) {
  const { t } = useTranslation('ui')
  const of = (verdict: keyof TrafficPoint['verdicts']) => series.map(({ verdicts }) => verdicts[verdict])
  const undecided = series.map(({ requests, verdicts }) =>
    Math.max(requests - Object.values(verdicts).reduce((sum, count) => sum + count, 0), 0),
  )
  const kinds = [
    { name: t('traffic.allowed'), color: 'teal', values: of('allow') },
    { name: t('traffic.escalated'), color: 'grape', values: of('escalate') },
    { name: t('traffic.held'), color: 'yellow', values: of('require_approval') },
    { name: t('traffic.denied'), color: 'red', values: of('deny') },
    { name: t('traffic.undecided'), color: 'gray', values: undecided },
  ]
  return (
    <TimeChart
      label={t('traffic.label')}
      times={series.map(({ at }) => at)}
      series={kinds.filter(({ values }, index) => index === 0 || values.some((value) => value > 0))}
      format={formatCount}
    />
  )
}
