import { SHARES } from '../bucket.ts'
import type { Rate, RateCounter, Reservation } from '../counters.ts'
import { Asking } from './asking.ts'
import { type LeaseExchanger, type Lessee, RETRY_MS } from './exchanger.ts'
import { FRESH_MS, leaseEnd, RATE_LEASE_MS, RENEW_MS, rememberedBatch } from './lease-times.ts'
import type { QuotaAnswer, QuotaRequest } from './quota-store.ts'

/** A new lease is asked for this many times the first request. */
const FIRST_WANT = 4
/** A lease holds what is used in about this time. */
const HORIZON_MS = 1_000
const MS_PER_MINUTE = 60_000
/** A lease of a limit that is nearly used up reports at least after this time. */
const SOONEST_REPORT_MS = 5
/** A lease that has been unused for this long is dropped. */
const IDLE_MS = 60_000

interface Sent {
  readonly spent: number
  readonly need: number
  readonly want: number
}

/** This node's slice of a limit that all nodes share. It spends the slice in memory until the slice ends. */
export class RateLease implements RateCounter, Lessee {
  readonly holder: string
  readonly #key: string
  readonly #exchanger: LeaseExchanger
  readonly #asking = new Asking()
  #rate: Rate
  /** Shares that can be spent before `#deadline`. */
  #spare = 0
  /** Shares that the requests of the running exchange get, so that later requests do not take them. */
  #promised = 0
  #deadline = 0
  /** `#spare` after the last exchange. */
  #slice = 0
  /** Shares spent since this lease began, as of now, of the last exchange sent, and of the last one answered. */
  #spent = 0
  #sent: Sent = { spent: 0, need: 0, want: 0 }
  #sentAt = 0
  #sends = 0
  #confirmed = 0
  #last = { batch: 0, at: Number.NEGATIVE_INFINITY }
  #renewAt = Number.POSITIVE_INFINITY
  /** Recent use in shares per millisecond. */
  #pace = 0
  #firstWant = 0
  /** Of the last answer. */
  #free = 0
  #used = 0
  #isTight = false
  #wasDenied = false

  constructor(key: string, rate: Rate, exchanger: LeaseExchanger) {
    this.#key = key
    this.holder = exchanger.nextHolder()
    this.#rate = rate
    this.#exchanger = exchanger
  }

  get dueAt(): number {
    return this.#asking.isWaiting ? 0 : this.#renewAt
  }

  adjust(rate: Rate, now: number): void {
    if (rate.perMinute === this.#rate.perMinute && rate.capacity === this.#rate.capacity) return
    // The slice of a higher limit returns, because the new one may be used up.
    if (rate.capacity < this.#rate.capacity || rate.perMinute < this.#rate.perMinute) this.#spare = 0
    this.#rate = rate
    this.#wasDenied = false
    this.#renew(now)
  }

  waitMs(cost: number, now: number): number {
    if (cost > this.#rate.capacity) return Number.POSITIVE_INFINITY
    this.#endSlice(now)
    const missing = cost * SHARES - this.#spare
    if (missing <= 0) return 0
    return Math.max(1, Math.ceil((missing - this.#freeAt(now)) / this.#rate.perMinute))
  }

  take(cost: number): void {
    this.#spend(cost * SHARES)
    const now = this.#exchanger.clock()
    if (this.#renewAt === Number.POSITIVE_INFINITY) this.#renew(now + RENEW_MS)
    // The next slice is there before this one is used up.
    else if (!this.#isTight && this.#spare < this.#slice / 2) this.#renew(now)
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
    this.#endSlice(now)
    const free = Math.max(0, this.#freeAt(now) + this.#spare)
    const units = Math.min(this.#rate.capacity, Math.floor(free / SHARES))
    const missing = units === this.#rate.capacity ? 0 : (units + 1) * SHARES - free
    return { units, nextMs: Math.ceil(missing / this.#rate.perMinute) }
  }

  isIdle(now: number): boolean {
    return this.dueAt === Number.POSITIVE_INFINITY && now - this.#sentAt > IDLE_MS
  }

  ask(cost: number, now: number): Promise<void> | undefined {
    if (cost > this.#rate.capacity) return undefined
    // Units that refill in this time are not lost, as long as there is something to drain.
    const passed = now - this.#last.at
    if (this.#wasDenied && passed < FRESH_MS && this.#used > passed * this.#rate.perMinute) return undefined
    const asked = this.#asking.ask(cost * SHARES)
    this.#exchanger.wake(this)
    return asked
  }

  request(now: number): QuotaRequest {
    this.#endSlice(now)
    this.#measurePace(now)
    const { need: wholeNeed, smallest } = this.#asking
    if (this.#firstWant === 0 && wholeNeed > 0) this.#firstWant = FIRST_WANT * smallest
    const target = this.#target()
    const keep = Math.min(this.#spare, wholeNeed + (this.#isTight ? 0 : target))
    const need = wholeNeed - Math.min(keep, wholeNeed)
    this.#promised = Math.min(keep, wholeNeed)
    this.#spare = keep - this.#promised
    this.#sent = { spent: this.#spent, need, want: Math.max(0, target - (keep - (wholeNeed - need))) }
    this.#sentAt = now
    this.#sends += 1
    this.#renewAt = now + RENEW_MS
    this.#asking.send()
    return {
      key: this.#key,
      holder: this.holder,
      rate: this.#rate.perMinute,
      capacity: this.#rate.capacity * SHARES,
      lease: RATE_LEASE_MS,
      last: rememberedBatch(this.#last, now),
      spent: this.#spent,
      base: this.#confirmed,
      keep,
      need,
      first: wholeNeed === 0 ? 0 : Math.max(0, smallest - keep),
      want: this.#sent.want,
    }
  }

  accept({ granted, used, free }: QuotaAnswer, { batch, sentAt, now }: { batch: number; sentAt: number; now: number }): void {
    const { spent, need, want } = this.#sent
    this.#spare += granted + this.#promised
    this.#promised = 0
    this.#confirmed = spent
    this.#deadline = leaseEnd(sentAt, RATE_LEASE_MS)
    this.#last = { batch, at: now }
    this.#free = free
    this.#used = used
    this.#wasDenied = granted < need
    this.#isTight = this.#wasDenied || free < want
    this.#slice = this.#spare
    const hasNothing = this.#spare === 0 && this.#spent === this.#confirmed
    this.#renewAt = hasNothing ? Number.POSITIVE_INFINITY : now + this.#reportMs()
    this.#asking.answer()
  }

  end(): void {
    this.#spare = 0
  }

  fail(cause: unknown, now: number): void {
    this.#spare += this.#promised
    this.#promised = 0
    this.#renewAt = now + RETRY_MS
    this.#asking.fail(cause)
  }

  /** Near the limit, units drain only after they were reported, so they are reported before the store has nothing left to drain. */
  #reportMs(): number {
    if (!this.#isTight) return RENEW_MS
    return Math.min(RENEW_MS, Math.max(SOONEST_REPORT_MS, this.#used / this.#rate.perMinute))
  }

  #renew(at: number): void {
    this.#renewAt = Math.min(this.#renewAt, at)
    this.#exchanger.wake(this)
  }

  #spend(shares: number): void {
    this.#spent += shares
    this.#spare = Math.max(0, this.#spare - shares)
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
      this.#spare += surplus
    }
    this.#renew(this.#exchanger.clock() + (surplus < 0 ? 0 : RENEW_MS))
  }

  #endSlice(now: number): void {
    if (now >= this.#deadline) this.#spare = 0
  }

  #freeAt(now: number): number {
    return this.#free + Math.min(this.#used, Math.floor(now - this.#last.at) * this.#rate.perMinute)
  }

  #measurePace(now: number): void {
    const passed = Math.max(1, now - this.#sentAt)
    const share = Math.min(1, passed / HORIZON_MS)
    const current = Math.max(0, this.#spent - this.#sent.spent) / passed
    this.#pace = this.#sends === 0 ? 0 : this.#pace * (1 - share) + current * share
  }

  /** Shares to hold for the requests to come. */
  #target(): number {
    const target = Math.ceil(this.#pace * HORIZON_MS)
    return this.#sends <= 1 ? Math.max(target, this.#firstWant) : target
  }
}
