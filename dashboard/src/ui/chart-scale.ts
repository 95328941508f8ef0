const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** Distances between ticks of a time axis, in seconds. */
export const TIME_STEPS = [
  MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  90 * DAY,
  365 * DAY,
]

/**
 * Ticks of a value axis from 0 to at least `max`, with one digit times a power of ten between them.
 *
 * @param isCounted the values are whole numbers
 */
export function valueTicks(max: number, mostSteps: number, isCounted: boolean): number[] {
  const smallest = (max > 0 ? max : 1) / mostSteps
  const power = 10 ** Math.floor(Math.log10(smallest))
  const step = [1, 2, 3, 4, 5, 10].map((factor) => factor * power).find((size) => size >= smallest * (1 - ROUNDING)) ?? smallest
  const distance = isCounted ? Math.max(step, 1) : step
  const count = Math.ceil((max / distance) * (1 - ROUNDING))
  return Array.from({ length: Math.max(count, 1) + 1 }, (_, index) => index * distance)
}

/** Errors of floating-point numbers are smaller. */
const ROUNDING = 1e-9

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const DATE = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
/** Intervals of a day begin at midnight UTC. */
const UTC_DATE = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const UTC_FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Labels of ticks: times within a day, with the date at midnight; dates for longer steps. */
export function tickLabels(seconds: readonly number[], step: number): string[] {
  if (step >= DAY) return seconds.map((at) => UTC_DATE.format(at * 1_000))
  return seconds.map((at) => (isMidnight(new Date(at * 1_000)) ? DATE : CLOCK).format(at * 1_000))
}

const isMidnight = (time: Date): boolean => time.getHours() === 0 && time.getMinutes() === 0

/** Start of an interval for a legend or table. `seconds`: its length. */
export const intervalLabel = (at: string, seconds: number): string => (seconds >= DAY ? UTC_FULL : FULL).format(new Date(at))

/** Values of one kind, one for each time. */
export interface ChartSeries {
  readonly name: string
  /** Of the theme: `teal`. */
  readonly color: string
  readonly values: readonly number[]
  /** Page that lists what the series counts. */
  readonly link?: { readonly to: string; readonly search: Readonly<Record<string, string | undefined>> }
}

/** Length of an interval. */
export const secondsBetween = ([first, second]: readonly string[]): number =>
  first === undefined || second === undefined ? 3_600 : (Date.parse(second) - Date.parse(first)) / 1_000
