/** Time as the server sees it; tests bring their own. The only place that asks the machine. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Milliseconds since an arbitrary start, monotonic: for durations, never for dates. */
export const elapsed = (): number => performance.now()

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `30s`, `10m`, `4h`, `2d` → milliseconds; undefined for anything else (decisions.md §2.4a). */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9]\d{0,8})([smhd])$/.exec(text)
  if (!match) return undefined
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
}
