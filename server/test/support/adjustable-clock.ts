import type { Clock } from '../../src/platform/lib/clock.ts'

/** The system time plus all durations given to `advance`. */
export function adjustableClock(): Clock & { advance(ms: number): void } {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (ms) => {
      offsetMs += ms
    },
  }
}
