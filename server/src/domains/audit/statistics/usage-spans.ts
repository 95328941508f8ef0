import { sql } from 'kysely'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const SPAN_MS = { week: 7 * DAY_MS, day: DAY_MS, hour: HOUR_MS, minute: 60_000 } as const
export type Span = keyof typeof SPAN_MS
/** A week begins on Monday, and the epoch was on a Thursday. */
const WEEK_OFFSET_MS = 4 * DAY_MS

/** Counts of minutes are for the last two days. */
export const MINUTES_KEPT_MS: number = 2 * DAY_MS

export const floorTo = (ms: number, time: Date): Date => new Date(Math.floor(time.getTime() / ms) * ms)
export const ceilTo = (ms: number, time: Date): Date => new Date(Math.ceil(time.getTime() / ms) * ms)

export const startOfSpan = (span: Span, time: Date): Date => {
  const offset = span === 'week' ? WEEK_OFFSET_MS : 0
  return new Date(floorTo(SPAN_MS[span], new Date(time.getTime() - offset)).getTime() + offset)
}

export const intervalStart = (seconds: number) =>
  sql`date_bin(make_interval(secs => ${sql.lit(seconds)}), at, timestamptz 'epoch')`
