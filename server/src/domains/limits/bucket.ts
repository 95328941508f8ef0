import type { Rate, RateCounter, Reservation } from './counters.ts'

/**
 * One unit has 60,000 shares, so a rate of n units per minute refills n shares per millisecond. The arithmetic uses integers only and
 * never rounds in favour of the caller.
 */
export const SHARES = 60_000
const MS_PER_MINUTE = 60_000

interface Open {
  /** Lowest `used` between this reservation and the next open one. */
  low: number
}

/**
 * A token bucket in the form of a leaky bucket (GCRA): `used` grows with each take and drains at the rate. In any span of t minutes it
 * admits at most capacity + perMinute × t units. Times are milliseconds of a monotonic clock, rounded down.
 */
export class Bucket implements RateCounter {
  #rate: Rate
  #used = 0
  #at: number
  /** Oldest first. */
  readonly #open: Open[] = []

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#at = Math.floor(now)
  }

  /** Used units stay used, up to the new capacity, so that a lower limit does not block its caller for longer than it would. */
  adjust(rate: Rate, now: number): void {
    if (rate.perMinute === this.#rate.perMinute && rate.capacity === this.#rate.capacity) return
    this.#drain(now)
    this.#rate = rate
    this.#used = Math.min(this.#used, rate.capacity * SHARES)
  }

  waitMs(cost: number, now: number): number {
    if (cost > this.#rate.capacity) return Number.POSITIVE_INFINITY
    this.#drain(now)
    return Math.max(0, Math.ceil((this.#used + (cost - this.#rate.capacity) * SHARES) / this.#rate.perMinute))
  }

  take(cost: number): void {
    this.#fill(cost * SHARES)
  }

  /**
   * Takes an estimate and corrects it once the actual cost is known. The surplus is refunded, except for the part that has drained in the
   * meantime: refunding that part would let the same units be spent twice. Use beyond the capacity is owed, but at most the units of a
   * minute, so that an absurd number from a provider does not block the caller for longer.
   */
  reserve(cost: number, clock: () => number): Reservation {
    this.take(cost)
    const open: Open = { low: Number.POSITIVE_INFINITY }
    this.#open.push(open)
    let settled = false
    return {
      settle: (actual) => {
        if (settled) return
        settled = true
        this.#drain(clock())
        this.#fill(-this.#close(open, (cost - actual) * SHARES))
        const { capacity, perMinute } = this.#rate
        this.#used = Math.min(this.#used, capacity * SHARES + perMinute * MS_PER_MINUTE)
      },
    }
  }

  left(now: number): { units: number; nextMs: number } {
    this.#drain(now)
    const free = Math.max(0, this.#rate.capacity * SHARES - this.#used)
    const units = Math.floor(free / SHARES)
    const missing = this.#used === 0 ? 0 : (units + 1 - this.#rate.capacity) * SHARES + this.#used
    return { units, nextMs: Math.ceil(missing / this.#rate.perMinute) }
  }

  /** The state of this bucket is complete: there is nothing to ask. */
  ask(): undefined {
    return undefined
  }

  isIdle(now: number): boolean {
    this.#drain(now)
    return this.#used === 0 && this.#open.length === 0
  }

  /**
   * Closes a reservation and returns how much of `surplus` is refunded: at most the lowest fill since the reservation, because below it
   * a bucket without the surplus would have been empty. The lows of later reservations include the surplus, so the refund is subtracted
   * from them. The previous reservation takes over this one's low.
   */
  #close(open: Open, surplus: number): number {
    this.#fill(0)
    const index = this.#open.indexOf(open)
    const since = this.#open.slice(index)
    const back = since.reduce((least, { low }) => Math.min(least, low), surplus)
    if (back > 0) for (const later of since) later.low -= back
    const before = this.#open[index - 1]
    if (before) before.low = Math.min(before.low, open.low)
    this.#open.splice(index, 1)
    return back
  }

  #fill(shares: number): void {
    const newest = this.#open.at(-1)
    if (newest) newest.low = Math.min(newest.low, this.#used)
    this.#used += shares
  }

  #drain(now: number): void {
    const passed = Math.floor(now) - this.#at
    if (passed <= 0) return
    this.#at += passed
    this.#used = Math.max(0, this.#used - passed * this.#rate.perMinute)
  }
}
