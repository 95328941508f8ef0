/**
 * One unit is cut into 60,000 shares, so that a rate of n units a minute refills n whole shares a millisecond: the
 * arithmetic stays in integers, and no rounding lets one request too many through.
 */
const SHARES = 60_000

/** Units a minute, and how many may be taken at once. Both are positive integers. */
export interface Rate {
  readonly perMinute: number
  readonly capacity: number
}

/** A take whose true cost is learnt later. Settled once, with what it really was. */
export interface Reservation {
  settle(actual: number): void
}

interface Open {
  /** Lowest fill seen between this reservation and the next one that is still open. */
  low: number
}

/**
 * A token bucket, kept as its mirror image (the leaky bucket of GCRA): `used` fills with every take and drains at the rate.
 * Over any span of t minutes it lets through at most capacity + perMinute × t units, counted exactly. Times are
 * milliseconds of a monotonic clock, whole ones count.
 */
export class Bucket {
  #rate: Rate
  #used = 0
  #at: number
  /** Oldest first. */
  readonly #open: Open[] = []

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#at = Math.floor(now)
  }

  /**
   * Puts other numbers in force from now on; what was used stays used, but never counts for more than the new capacity,
   * so that a lowered limit does not lock its caller out for longer than the limit itself would.
   */
  adjust(rate: Rate, now: number): void {
    if (rate.perMinute === this.#rate.perMinute && rate.capacity === this.#rate.capacity) return
    this.#drain(now)
    this.#rate = rate
    this.#used = Math.min(this.#used, rate.capacity * SHARES)
  }

  /** Milliseconds until `cost` units can be taken if nobody else takes any; 0: now, Infinity: never, it is above the capacity. */
  waitMs(cost: number, now: number): number {
    if (cost > this.#rate.capacity) return Number.POSITIVE_INFINITY
    this.#drain(now)
    return Math.max(0, Math.ceil((this.#used + (cost - this.#rate.capacity) * SHARES) / this.#rate.perMinute))
  }

  /** Takes what `waitMs` said is there. */
  take(cost: number): void {
    this.#fill(cost * SHARES)
  }

  /**
   * Takes an estimate that is put right once the true cost is known. What was taken in vain comes back, except for the part
   * that has drained meanwhile: giving that back as well would let the same units be spent twice.
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
      },
    }
  }

  /** Whole units that can be taken now, and the milliseconds until there is one more. */
  left(now: number): { units: number; nextMs: number } {
    this.#drain(now)
    const free = Math.max(0, this.#rate.capacity * SHARES - this.#used)
    const units = Math.floor(free / SHARES)
    const missing = this.#used === 0 ? 0 : (units + 1 - this.#rate.capacity) * SHARES + this.#used
    return { units, nextMs: Math.ceil(missing / this.#rate.perMinute) }
  }

  /** True when it can be thrown away: a new one would be the same. */
  isIdle(now: number): boolean {
    this.#drain(now)
    return this.#used === 0 && this.#open.length === 0
  }

  /**
   * Ends a reservation and answers how much of `surplus` comes back: no more than the lowest fill since it was made, because
   * below that the bucket without the surplus would have been empty. Those lows are what they are with the surplus in them,
   * so what comes back is taken off them; its own falls to the reservation before.
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
