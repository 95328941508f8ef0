import type { LeaseExchanger, Lessee } from './exchanger.ts'
import type { QuotaAnswer, QuotaRequest } from './quota-store.ts'

/** A lease ends earlier on the node than in the store, because two clocks do not run equally fast. */
const MARGIN = 0.05
/** A lease that is in use is renewed at this interval. Units beyond the recent use return then. */
export const RENEW_MS = 500
/** Pause after an exchange that failed, unless requests wait. */
const RETRY_MS = 250
/** An answer that refused a request is good for as long: later requests are refused without another exchange. */
export const FRESH_MS = 25
/** The store keeps what a node has told it for a minute after its lease. */
const REMEMBERED_MS = 50_000
/** A lease that has been unused for this long is dropped. */
const IDLE_MS = 60_000

/** The demand on a lease beyond the requests that wait for the exchange. */
interface Demand {
  /** Amount for requests that queue without waiting for this exchange. */
  readonly queued: number
  /** Amount to hold for the requests to come. */
  readonly target: number
}

/** This node's part of a limit that all nodes share: shares of a rate (bucket.ts), or concurrency slots. */
export abstract class QuotaLease implements Lessee {
  readonly holder: string
  protected readonly exchanger: LeaseExchanger
  /** Amount that can be taken before `#deadline`. */
  protected spare = 0
  protected renewAt = Number.POSITIVE_INFINITY
  protected sentAt = 0
  protected last = { batch: 0, at: Number.NEGATIVE_INFINITY }
  /** Of the last answer. */
  protected free = 0
  protected isTight = false
  protected wasDenied = false
  /** Amount that the waiting requests need together, and the smallest of them. */
  protected need = 0
  protected smallest = Number.POSITIVE_INFINITY
  readonly #key: string
  readonly #leaseMs: number
  /** Amount that the requests of the running exchange get, so that later requests do not take it. */
  #promised = 0
  #deadline = 0
  /** The amounts of the running exchange. */
  #sent = { need: 0, want: 0 }
  /** For requests that wait for the next exchange, and for those that wait for the running one. */
  #waiting: PromiseWithResolvers<void> | undefined
  #asked: PromiseWithResolvers<void> | undefined

  /** `leaseMs`: how long the store counts what the node has not returned. */
  constructor(key: string, leaseMs: number, exchanger: LeaseExchanger) {
    this.#key = key
    this.#leaseMs = leaseMs
    this.holder = exchanger.nextHolder()
    this.exchanger = exchanger
  }

  get dueAt(): number {
    return this.#waiting ? 0 : this.renewAt
  }

  isIdle(now: number): boolean {
    return this.dueAt === Number.POSITIVE_INFINITY && now - this.sentAt > IDLE_MS
  }

  request(now: number): QuotaRequest {
    this.endSlice(now)
    const { queued, target } = this.demand(now)
    const wholeNeed = this.need + queued
    const kept = Math.min(this.spare, wholeNeed + (this.isTight ? 0 : target))
    const need = wholeNeed - Math.min(kept, wholeNeed)
    const want = Math.max(0, target - (kept - (wholeNeed - need)))
    const report = this.report(kept, need)
    this.#promised = Math.min(kept, this.need)
    this.spare = kept - this.#promised
    this.#sent = { need, want }
    this.sentAt = now
    this.renewAt = now + RENEW_MS
    this.#asked = this.#waiting
    this.#waiting = undefined
    this.need = 0
    this.smallest = Number.POSITIVE_INFINITY
    const last = now - this.last.at < REMEMBERED_MS ? this.last.batch : 0
    return { key: this.#key, holder: this.holder, lease: this.#leaseMs, last, need, want, ...report }
  }

  accept(answer: QuotaAnswer, { batch, sentAt, now }: { batch: number; sentAt: number; now: number }): void {
    const { need, want } = this.#sent
    this.spare += answer.granted + this.#promised
    this.#promised = 0
    this.#deadline = sentAt + this.#leaseMs * (1 - MARGIN)
    this.last = { batch, at: now }
    this.free = answer.free
    this.wasDenied = answer.granted < need
    this.isTight = this.wasDenied || answer.free < want
    this.renewAt = this.nextExchange(answer, now)
    this.#asked?.resolve()
    this.#asked = undefined
  }

  fail(cause: unknown, now: number): void {
    this.spare += this.#promised
    this.#promised = 0
    this.renewAt = now + RETRY_MS
    this.#asked?.reject(cause)
    this.#asked = undefined
  }

  end(): void {
    this.spare = 0
  }

  protected abstract demand(now: number): Demand

  /** `kept`: the part of `spare` that does not return to the limit. */
  protected abstract report(kept: number, need: number): Omit<QuotaRequest, 'key' | 'holder' | 'lease' | 'last' | 'need' | 'want'>

  /** When the exchange after this answer is due. */
  protected abstract nextExchange(answer: QuotaAnswer, now: number): number

  /** Waits for the next exchange. */
  protected wait(amount: number): Promise<void> {
    this.need += amount
    this.smallest = Math.min(this.smallest, amount)
    const waiting = this.#waiting ?? Promise.withResolvers<void>()
    // A request that another limit refuses does not wait for the answer.
    if (!this.#waiting) waiting.promise.catch(() => {})
    this.#waiting = waiting
    this.exchanger.wake(this)
    return waiting.promise
  }

  /** The limit has changed. The part of a higher limit returns, because the lower one may be used up. */
  protected change(isLower: boolean, now: number): void {
    if (isLower) this.spare = 0
    this.wasDenied = false
    this.renew(now)
  }

  protected renew(at: number): void {
    this.renewAt = Math.min(this.renewAt, at)
    this.exchanger.wake(this)
  }

  protected endSlice(now: number): void {
    if (now >= this.#deadline) this.spare = 0
  }
}
