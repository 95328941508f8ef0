import { SHARES } from '../bucket.ts'
import type { Rate, RateCounter, Reservation } from '../counters.ts'
import type { LeaseExchanger } from './exchanger.ts'
import { FRESH_MS, QuotaLease, RENEW_MS } from './quota-lease.ts'
import type { QuotaAnswer } from './quota-store.ts'

/** How long a node may spend what it was granted, in milliseconds. After it, the store counts the rest as spent. */
const LEASE_MS = 2_000
/** A new lease is asked for this many times the first request. */
const FIRST_WANT = 4
/** A lease holds what is used in about this time. */
const HORIZON_MS = 1_000
const MS_PER_MINUTE = 60_000
/** A lease of a limit that is nearly used up reports at least after this time. */
const SOONEST_REPORT_MS = 5

/** This node's slice of a limit that all nodes share, in shares. It spends the slice in memory until the slice ends. */
export class RateLease extends QuotaLease implements RateCounter {
  #rate: Rate
  /** `spare` after the last exchange. */
  #slice = 0
  /** Shares spent since this lease began, as of now, of the last exchange sent, and of the last one answered. */
  #spent = 0
  #spentSent = 0
  #confirmed = 0
  #sends = 0
  /** Recent use in shares per millisecond. */
  #pace = 0
  #firstWant = 0
  /** Of the last answer. */
  #used = 0

  constructor(key: string, rate: Rate, exchanger: LeaseExchanger) {
    super(key, LEASE_MS, exchanger)
    this.#rate = rate
  }

  adjust(rate: Rate, now: number): void {
    const before = this.#rate
    if (rate.perMinute === before.perMinute && rate.capacity === before.capacity) return
    this.#rate = rate
    this.change(rate.capacity < before.capacity || rate.perMinute < before.perMinute, now)
  }

  waitMs(cost: number, now: number): number {
    if (cost > this.#rate.capacity) return Number.POSITIVE_INFINITY
    this.endSlice(now)
    const missing = cost * SHARES - this.spare
    if (missing <= 0) return 0
    return Math.max(1, Math.ceil((missing - this.#freeAt(now)) / this.#rate.perMinute))
  }

  take(cost: number): void {
    this.#spend(cost * SHARES)
    const now = this.exchanger.clock()
    if (this.renewAt === Number.POSITIVE_INFINITY) this.renew(now + RENEW_MS)
    // The next slice is there before this one is used up.
    else if (!this.isTight && this.spare < this.#slice / 2) this.renew(now)
  }

  reserve(cost: number, clock: () => number): Reservation {
    this.take(cost)
    const [at, sends] = [clock(), this.#sends]
    let isSettled = false
    return {
      settle: (actual) => {
        if (isSettled) return
        isSettled = true
        const surplus = (cost - actual) * SHARES
        if (surplus !== 0) this.#correct(surplus, clock() - at, sends === this.#sends)
      },
    }
  }

  left(now: number): { units: number; nextMs: number } {
    this.endSlice(now)
    const free = Math.max(0, this.#freeAt(now) + this.spare)
    const units = Math.min(this.#rate.capacity, Math.floor(free / SHARES))
    const missing = units === this.#rate.capacity ? 0 : (units + 1) * SHARES - free
    return { units, nextMs: Math.ceil(missing / this.#rate.perMinute) }
  }

  ask(cost: number, now: number): Promise<void> | undefined {
    if (cost > this.#rate.capacity) return undefined
    // Units that refill in this time are not lost, as long as there is something to drain.
    const passed = now - this.last.at
    if (this.wasDenied && passed < FRESH_MS && this.#used > passed * this.#rate.perMinute) return undefined
    return this.wait(cost * SHARES)
  }

  protected demand(now: number) {
    this.#measurePace(now)
    if (this.#firstWant === 0 && this.need > 0) this.#firstWant = FIRST_WANT * this.smallest
    const target = Math.ceil(this.#pace * HORIZON_MS)
    return { queued: 0, target: this.#sends <= 1 ? Math.max(target, this.#firstWant) : target }
  }

  protected report(keep: number) {
    this.#spentSent = this.#spent
    this.#sends += 1
    return {
      rate: this.#rate.perMinute,
      capacity: this.#rate.capacity * SHARES,
      spent: this.#spent,
      base: this.#confirmed,
      keep,
      first: this.need === 0 ? 0 : Math.max(0, this.smallest - keep),
    }
  }

  /** Near the limit, units drain only after they were reported, so they are reported before the store has nothing left to drain. */
  protected nextExchange({ used }: QuotaAnswer, now: number): number {
    this.#confirmed = this.#spentSent
    this.#used = used
    this.#slice = this.spare
    if (this.spare === 0 && this.#spent === this.#confirmed) return Number.POSITIVE_INFINITY
    if (!this.isTight) return now + RENEW_MS
    return now + Math.min(RENEW_MS, Math.max(SOONEST_REPORT_MS, used / this.#rate.perMinute))
  }

  #spend(shares: number): void {
    this.#spent += shares
    this.spare = Math.max(0, this.spare - shares)
  }

  /**
   * `surplus`: reserved shares that were not used; negative: shares used beyond the reservation. Since a report they may have drained, so
   * only those are refunded that cannot have. `isUnreported`: the store still counts them as held.
   */
  #correct(surplus: number, ms: number, isUnreported: boolean): void {
    if (surplus < 0) this.#spend(Math.min(-surplus, this.#rate.capacity * SHARES + this.#rate.perMinute * MS_PER_MINUTE))
    else if (!isUnreported) this.#spent -= Math.max(0, surplus - (Math.ceil(ms) + 1) * this.#rate.perMinute)
    else {
      this.#spent -= surplus
      this.spare += surplus
    }
    this.renew(this.exchanger.clock() + (surplus < 0 ? 0 : RENEW_MS))
  }

  #freeAt(now: number): number {
    return this.free + Math.min(this.#used, Math.floor(now - this.last.at) * this.#rate.perMinute)
  }

  #measurePace(now: number): void {
    const passed = Math.max(1, now - this.sentAt)
    const share = Math.min(1, passed / HORIZON_MS)
    const current = Math.max(0, this.#spent - this.#spentSent) / passed
    this.#pace = this.#sends === 0 ? 0 : this.#pace * (1 - share) + current * share
  }
}
