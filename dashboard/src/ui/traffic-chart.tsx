import { Box, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { countOf } from './numbers.ts'
import classes from './traffic-chart.module.css'

/** What happened in one interval of time. */
export interface TrafficPoint {
  readonly at: string
  readonly requests: number
  readonly verdicts: Readonly<Record<'allow' | 'escalate' | 'require_approval' | 'deny', number>>
  readonly errors: number
}

/** From the bottom of a bar to its top. */
const PARTS = [
  { of: ({ verdicts }: TrafficPoint) => verdicts.allow, label: 'allowed', className: classes.allow },
  { of: ({ verdicts }: TrafficPoint) => verdicts.escalate, label: 'escalated', className: classes.escalate },
  { of: ({ verdicts }: TrafficPoint) => verdicts.require_approval, label: 'held', className: classes.hold },
  { of: ({ verdicts }: TrafficPoint) => verdicts.deny, label: 'denied', className: classes.deny },
]

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' })

/** Requests over time, by what was decided on them. Drawn by the browser's own boxes: no library is loaded for it. */
export function TrafficChart({ series }: { readonly series: readonly TrafficPoint[] }) {
  const most = Math.max(1, ...series.map(({ requests }) => requests))
  const total = series.reduce((sum, { requests }) => sum + requests, 0)
  const busiest = series.find(({ requests }) => requests === most)
  const [first, last] = [series[0], series.at(-1)]
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Legend />
        <Text size="xs" c="dimmed">
          highest bar: {countOf(most)}
        </Text>
      </Group>
      <Box className={classes.bars ?? ''} aria-hidden>
        {series.map((point) => (
          <Bar key={point.at} point={point} most={most} />
        ))}
      </Box>
      {first && last && (
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {TIME.format(new Date(first.at))}
          </Text>
          <Text size="xs" c="dimmed">
            {TIME.format(new Date(last.at))}
          </Text>
        </Group>
      )}
      <VisuallyHidden>
        {countOf(total)} requests
        {busiest &&
          total > 0 &&
          `, most of them (${countOf(most)}) in the interval that began ${TIME.format(new Date(busiest.at))}`}
        .
      </VisuallyHidden>
    </Stack>
  )
}

function Bar({ point, most }: { readonly point: TrafficPoint; readonly most: number }) {
  const parts = PARTS.map((part) => ({ ...part, count: part.of(point) })).filter(({ count }) => count > 0)
  const decided = parts.reduce((sum, { count }) => sum + count, 0)
  const said = parts.map(({ label, count }) => `${count} ${label}`)
  const title = [TIME.format(new Date(point.at)), `${point.requests} requests`, ...said, `${point.errors} failed`].join('\n')
  const rest = Math.max(point.requests - decided, 0)
  return (
    <div className={classes.slot} title={title}>
      {rest > 0 && <div className={classes.undecided} style={heightOf(rest, most)} />}
      {parts.toReversed().map(({ label, className, count }) => (
        <div key={label} className={className} style={heightOf(count, most)} />
      ))}
    </div>
  )
}

const heightOf = (count: number, most: number) => ({ height: `${(100 * count) / most}%` })

function Legend() {
  return (
    <Group gap="sm" aria-hidden>
      {[...PARTS, { label: 'no decision', className: classes.undecided }].map(({ label, className }) => (
        <Group key={label} gap={6} wrap="nowrap">
          <span className={`${classes.key} ${className}`} />
          <Text size="xs">{label}</Text>
        </Group>
      ))}
    </Group>
  )
}
