import { Type } from 'typebox'
import { hasMinutes, roundedTime } from '../../../domains/audit/statistics/usage-query.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { present } from '../../../platform/lib/present.ts'
import { invalid } from '../../../shared/request-errors.ts'
import type { QueryOf } from '../../kit/route.ts'
import { parseTimeRange } from '../audit/audit-query.ts'

export const INTERVALS = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1h': 3_600,
  '6h': 21_600,
  '1d': 86_400,
} as const
export type Interval = keyof typeof INTERVALS
export const INTERVAL_NAMES = Object.keys(INTERVALS) as Interval[]

export const USAGE_TIME_QUERY = {
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Default: one day before `to`. Times are widened to whole hours, or to whole minutes within the last two days if they are at most six hours apart and users do not matter.',
    }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Default: now.' })),
  interval: Type.Optional({
    ...oneOf(INTERVAL_NAMES, 'Interval'),
    description:
      'Default: the shortest interval that gives at most 72 points. Less than an hour only where times are counted to the minute.',
  }),
}

export interface UsageTime {
  readonly from: Date
  readonly to: Date
  readonly interval: Interval
}

const DAY_MS = 86_400_000
const MAX_POINTS = 400
const POINTS = 72
const HOUR_SECONDS = 3_600
/** Ten years: more intervals of a day than an answer may have. */
const MAX_DAYS = 3_660

/** The time of a query. Throws a 400 if it is empty, or has too many or too short intervals. `byUser`: see hasMinutes. */
export function timeOf(
  { from: asked, to: until, interval }: QueryOf<typeof USAGE_TIME_QUERY>,
  now: Date,
  byUser = false,
): UsageTime {
  const times = parseTimeRange(present({ from: asked, to: until }))
  const to = times.to ?? now
  const from = times.from ?? new Date(to.getTime() - DAY_MS)
  if (from >= to) throw invalid({ param: 'from', message: 'must be before to' })
  const toMinutes = hasMinutes({ from, to }, byUser, now)
  const seconds = (to.getTime() - from.getTime()) / 1_000
  const allowed = INTERVAL_NAMES.filter((name) => toMinutes || INTERVALS[name] >= HOUR_SECONDS)
  const chosen = interval ?? allowed.find((name) => seconds / INTERVALS[name] <= POINTS) ?? '1d'
  if (!allowed.includes(chosen)) {
    const message =
      'must be at least 1h: shorter intervals are kept for two days, for at most six hours at a time, and not by user'
    throw invalid({ param: 'interval', message })
  }
  const isTooLong = interval === undefined ? seconds / INTERVALS[chosen] > MAX_DAYS : seconds / INTERVALS[chosen] > MAX_POINTS
  if (isTooLong) {
    const param = interval === undefined ? 'from' : 'interval'
    const most = interval === undefined ? MAX_DAYS : MAX_POINTS
    throw invalid({ param, message: `must not make more than ${most} points of the time` })
  }
  return { ...roundedTime({ from, to }, byUser, now), interval: chosen }
}

export function startsOf({ from, to, interval }: UsageTime): number[] {
  const ms = INTERVALS[interval] * 1_000
  const first = Math.floor(from.getTime() / ms) * ms
  return Array.from({ length: Math.ceil((to.getTime() - first) / ms) }, (_, index) => first + index * ms)
}
