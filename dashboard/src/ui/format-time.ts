import i18next from 'i18next'

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const SECONDS = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** `24 Nov 2026, 14:03` */
export const formatTime = (date: Date): string => SHORT.format(date)

/** `24 Nov 2026, 14:03:21`, for logs: all times have the same width. */
export const formatSeconds = (date: Date): string => SECONDS.format(date)

/** Date and time with the time zone, for tooltips. */
export const formatExactTime = (date: Date): string => EXACT.format(date)

const MINUTE_MS = 60_000
const UNITS = [
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
] as const
const RELATIVE_BELOW_MS = 7 * 24 * 60 * MINUTE_MS

/** `5 min. ago`, `yesterday`, `in 3 days`; within a minute `now`, and from a week on the date. */
export function formatRelativeTime(date: Date, now: number): string {
  const difference = date.getTime() - now
  const distance = Math.abs(difference)
  if (distance >= RELATIVE_BELOW_MS) return DAY.format(date)
  // In the language of the texts around it.
  const relative = new Intl.RelativeTimeFormat(i18next.language, { numeric: 'auto', style: 'short' })
  const [unit, size] = UNITS.find(([, ms]) => distance >= ms) ?? (['second', distance] as const)
  return unit === 'second' ? relative.format(0, 'second') : relative.format(Math.trunc(difference / size), unit)
}
