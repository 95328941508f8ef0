import type { SlotCounter } from '../counters.ts'
import { Asking } from './asking.ts'
import { type LeaseExchanger, type Lessee, RETRY_MS } from './exchanger.ts'
import { FRESH_MS, leaseEnd, RENEW_MS, rememberedBatch, SLOT_LEASE_MS } from './lease-times.ts'
import type { QuotaAnswer, QuotaRequest } from './quota-store.ts'

/** Renewal of a lease whose slots are all in use. */
const BUSY_RENEW_MS = 2_000
/** When the limit is nearly reached, a slot that became free returns to the other nodes after this time. */
const RETURN_MS = 20
/** Requests that queue ask for a slot at this interval. */
const QUEUE_ASK_MS = 100
const IDLE_MS = 60_000
/** Slots that are held beyond the highest recent use. */
const RESERVE = 1.25

/** This node's part of the concurrency slots that all nodes share. Its running requests keep their slots until they end. */
export class SlotLease implements SlotCounter, Lessee {
  readonly holder: string
  readonly #key: string
  inFlight = 0
  readonly #exchanger: LeaseExchanger
  readonly #onFree: () => void
  readonly #asking = new Asking()
  #capacity: number
  /** Slots that can be taken before `#deadline`. */
  #spare = 0
  /** Slots that the requests of the running exchange get, so that later requests do not take them. */
  #promised = 0
  #deadline = 0
  #waiting = 0
  /** Most requests in flight since the last exchange. */
  #peak = 0
  #sent = { need: 0, want: 0, keep: 0 }
  #sentAt = 0
  #last = { batch: 0, at: Number.NEGATIVE_INFINITY }
  #renewAt = Number.POSITIVE_INFINITY
  #free = 0
  #isTight = false
  #wasDenied = false

  /** `onFree` is called when a slot may be free for a request that queues. */
  constructor(key: string, capacity: number, exchanger: LeaseExchanger, onFree: () => void) {
    this.#key = key
    this.holder = exchanger.nextHolder()
    this.#capacity = capacity
    this.#exchanger = exchanger
    this.#onFree = onFree
  }

  get dueAt(): number {
    return this.#asking.isWaiting ? 0 : this.#renewAt
  }

  adjust(capacity: number): void {
    if (capacity === this.#capacity) return
    // The slots of a higher limit return, because the new one may be used up.
    if (capacity < this.#capacity) this.#spare = 0
    this.#capacity = capacity
    this.#wasDenied = false
    this.#renew(this.#exchanger.clock())
  }

  hasFree(now: number): boolean {
    if (now >= this.#deadline) this.#spare = 0
    return this.#spare > 0
  }

  take(): void {
    this.#spare -= 1
    this.inFlight += 1
    this.#peak = Math.max(this.#peak, this.inFlight)
    this.#renew(this.#exchanger.clock() + (this.#spare === 0 && !this.#isTight ? 0 : RENEW_MS))
  }

  release(): void {
    this.inFlight -= 1
    this.#spare += 1
    this.#onFree()
    this.#renew(this.#exchanger.clock() + (this.#isTight ? RETURN_MS : RENEW_MS))
  }

  left(): number {
    return Math.max(0, Math.min(this.#capacity, this.#free + this.#spare))
  }

  expect(waiting: number): void {
    this.#waiting = waiting
    if (waiting > 0) this.#renew(this.#exchanger.clock() + QUEUE_ASK_MS)
  }

  isIdle(now: number): boolean {
    return this.inFlight === 0 && this.dueAt === Number.POSITIVE_INFINITY && now - this.#sentAt > IDLE_MS
  }

  ask(now: number): Promise<void> | undefined {
    if (this.#wasDenied && now - this.#last.at < FRESH_MS) return undefined
    const asked = this.#asking.ask(1)
    this.#exchanger.wake(this)
    return asked
  }

  request(now: number): QuotaRequest {
    if (now >= this.#deadline) this.#spare = 0
    const wholeNeed = this.#asking.need + this.#waiting
    const reserve = this.#peak === 0 && wholeNeed === 0 ? 0 : Math.ceil(this.#peak * RESERVE) + 1 - this.inFlight
    const target = Math.max(0, reserve)
    this.#spare = Math.min(this.#spare, wholeNeed + (this.#isTight ? 0 : target))
    const keep = this.inFlight + this.#spare
    this.#promised = Math.min(this.#spare, this.#asking.need)
    const need = wholeNeed - Math.min(this.#spare, wholeNeed)
    this.#sent = { need, want: Math.max(0, target - (this.#spare - (wholeNeed - need))), keep }
    this.#spare -= this.#promised
    this.#sentAt = now
    this.#peak = this.inFlight
    this.#renewAt = now + RENEW_MS
    this.#asking.send()
    return {
      key: this.#key,
      holder: this.holder,
      rate: 0,
      capacity: this.#capacity,
      lease: SLOT_LEASE_MS,
      last: rememberedBatch(this.#last, now),
      spent: 0,
      base: 0,
      keep,
      need,
      first: need === 0 ? 0 : 1,
      want: this.#sent.want,
    }
  }

  accept({ granted, free }: QuotaAnswer, { batch, sentAt, now }: { batch: number; sentAt: number; now: number }): void {
    const { need, want, keep } = this.#sent
    this.#spare += granted + this.#promised
    this.#promised = 0
    this.#deadline = leaseEnd(sentAt, SLOT_LEASE_MS)
    this.#last = { batch, at: now }
    this.#free = free
    this.#wasDenied = granted < need
    this.#isTight = this.#wasDenied || free < want
    this.#renewAt = this.#nextExchange(now, keep + granted)
    this.#asking.answer()
    if (this.#waiting > 0) this.#onFree()
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

  /** `held`: slots that the store counts for this node. */
  #nextExchange(now: number, held: number): number {
    if (held === 0 && this.inFlight === 0 && this.#waiting === 0) return Number.POSITIVE_INFINITY
    if (this.#waiting > 0) return now + QUEUE_ASK_MS
    if (this.#spare > 0) return now + (this.#isTight ? RETURN_MS : RENEW_MS)
    return now + BUSY_RENEW_MS
  }

  #renew(at: number): void {
    this.#renewAt = Math.min(this.#renewAt, at)
    this.#exchanger.wake(this)
  }
}
