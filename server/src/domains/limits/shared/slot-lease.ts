import type { SlotCounter } from '../counters.ts'
import type { LeaseExchanger } from './exchanger.ts'
import { FRESH_MS, QuotaLease, RENEW_MS } from './quota-lease.ts'
import type { QuotaAnswer } from './quota-store.ts'

/** How long slots of a node that has died stay in use, in milliseconds. */
const LEASE_MS = 10_000
/** Renewal of a lease whose slots are all in use. */
const BUSY_RENEW_MS = 2_000
/** When the limit is nearly reached, a slot that became free returns to the other nodes after this time. */
const RETURN_MS = 20
/** Requests that queue ask for a slot at this interval. */
const QUEUE_ASK_MS = 100
/** Slots that are held beyond the highest recent use. */
const RESERVE = 1.25

/** This node's part of the concurrency slots that all nodes share. Its running requests keep their slots until they end. */
export class SlotLease extends QuotaLease implements SlotCounter {
  inFlight = 0
  readonly #onFree: () => void
  #capacity: number
  #queued = 0
  /** Most requests in flight since the last exchange. */
  #peak = 0
  /** Slots that the running exchange reports as held. */
  #kept = 0

  /** `onFree` is called when a slot may be free for a request that queues. */
  constructor(key: string, capacity: number, exchanger: LeaseExchanger, onFree: () => void) {
    super(key, LEASE_MS, exchanger)
    this.#capacity = capacity
    this.#onFree = onFree
  }

  adjust(capacity: number): void {
    const before = this.#capacity
    if (capacity === before) return
    this.#capacity = capacity
    this.change(capacity < before, this.exchanger.clock())
  }

  hasFree(now: number): boolean {
    this.endSlice(now)
    return this.spare > 0
  }

  take(): void {
    this.spare -= 1
    this.inFlight += 1
    this.#peak = Math.max(this.#peak, this.inFlight)
    this.renew(this.exchanger.clock() + (this.spare === 0 && !this.isTight ? 0 : RENEW_MS))
  }

  release(): void {
    this.inFlight -= 1
    this.spare += 1
    this.#onFree()
    this.renew(this.exchanger.clock() + (this.isTight ? RETURN_MS : RENEW_MS))
  }

  left(): number {
    return Math.max(0, Math.min(this.#capacity, this.free + this.spare))
  }

  expect(waiting: number): void {
    this.#queued = waiting
    if (waiting > 0) this.renew(this.exchanger.clock() + QUEUE_ASK_MS)
  }

  override isIdle(now: number): boolean {
    return this.inFlight === 0 && super.isIdle(now)
  }

  ask(now: number): Promise<void> | undefined {
    return this.wasDenied && now - this.last.at < FRESH_MS ? undefined : this.wait(1)
  }

  override accept(...answered: Parameters<QuotaLease['accept']>): void {
    super.accept(...answered)
    if (this.#queued > 0) this.#onFree()
  }

  protected demand() {
    const isUnused = this.#peak === 0 && this.need + this.#queued === 0
    const reserve = isUnused ? 0 : Math.ceil(this.#peak * RESERVE) + 1 - this.inFlight
    return { queued: this.#queued, target: Math.max(0, reserve) }
  }

  protected report(kept: number, need: number) {
    this.#kept = this.inFlight + kept
    this.#peak = this.inFlight
    return { rate: 0, capacity: this.#capacity, spent: 0, base: 0, keep: this.#kept, first: need === 0 ? 0 : 1 }
  }

  protected nextExchange({ granted }: QuotaAnswer, now: number): number {
    if (this.#kept + granted === 0 && this.inFlight === 0 && this.#queued === 0) return Number.POSITIVE_INFINITY
    if (this.#queued > 0) return now + QUEUE_ASK_MS
    if (this.spare > 0) return now + (this.isTight ? RETURN_MS : RENEW_MS)
    return now + BUSY_RENEW_MS
  }
}
