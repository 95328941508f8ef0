/** The current time. No other module reads the system's time. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Monotonic milliseconds since an arbitrary start, for durations. */
export const elapsed = (): number => performance.now()

/** The last time in RFC 3339, where years have four digits. */
export const LAST_TIME = new Date('9999-12-31T23:59:59.999Z')
const FIRST_TIME = new Date('0001-01-01T00:00:00Z')

/** Parses a date and time. Returns undefined if it is invalid or outside of RFC 3339. */
export function parseTime(text: string): Date | undefined {
  const time = new Date(text)
  return time >= FIRST_TIME && time <= LAST_TIME ? time : undefined
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `30s`, `10m`, `4h`, `2d` → milliseconds; undefined for anything else (GW-POL-13). */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9]\d{0,8})([smhd])$/.exec(text)
  if (!match) return undefined
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
}
