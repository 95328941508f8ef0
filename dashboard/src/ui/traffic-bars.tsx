import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Stack, VisuallyHidden } from '@mantine/core'
import { formatCount } from './format-numbers.ts'

/** Requests in one interval. */
export interface TrafficPoint {
  readonly at: string
  readonly requests: number
  readonly verdicts: Readonly<Record<'allow' | 'escalate' | 'require_approval' | 'deny', number>>
  readonly errors: number
}

export interface TrafficBarsProps {
  readonly series: readonly TrafficPoint[]
  /** In pixels. */
  readonly height: number
}

/** From bottom to top. */
const SERIES = [
  { name: 'allow', label: 'Allowed', color: 'teal.6' },
  { name: 'escalate', label: 'Escalated', color: 'grape.6' },
  { name: 'require_approval', label: 'Held', color: 'yellow.6' },
  { name: 'deny', label: 'Denied', color: 'red.6' },
  { name: 'undecided', label: 'No decision', color: 'gray.5' },
]

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' })
const timeOf = ({ at }: TrafficPoint): string => TIME.format(new Date(at))

/** A bar chart with a text alternative. */
export function TrafficBars({ series, height }: TrafficBarsProps) {
  return (
    <Stack gap="xs">
      <BarChart
        h={height}
        type="stacked"
        data={series.map(barOf)}
        dataKey="at"
        series={SERIES}
        valueFormatter={formatCount}
        withLegend
        legendProps={{ verticalAlign: 'top' }}
        xAxisProps={{ minTickGap: 48 }}
        yAxisProps={{ allowDecimals: false }}
        tooltipAnimationDuration={0}
        barProps={{ isAnimationActive: false }}
        aria-hidden
        barChartProps={{ accessibilityLayer: false }}
      />
      <VisuallyHidden>{summaryOf(series)}</VisuallyHidden>
    </Stack>
  )
}

const barOf = (point: TrafficPoint) => {
  const { verdicts, requests } = point
  const decided = Object.values(verdicts).reduce((sum, count) => sum + count, 0)
  return { at: timeOf(point), ...verdicts, undecided: Math.max(requests - decided, 0) }
}

function summaryOf(series: readonly TrafficPoint[]): string {
  const total = series.reduce((sum, { requests }) => sum + requests, 0)
  const [busiest] = series.toSorted((a, b) => b.requests - a.requests)
  if (busiest === undefined || total === 0) return 'No requests.'
  return `${formatCount(total)} requests. Busiest interval: ${timeOf(busiest)} with ${formatCount(busiest.requests)} requests.`
}
