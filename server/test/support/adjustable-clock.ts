import type { Clock } from '../../src/lib/clock.ts'

/** The machine's time, and as much later as a test has asked for. */
export function adjustableClock(): Clock & { advance(ms: number): void } {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    advance: (ms) => {
      ahead += ms
    },
  }
}
