import type { ApplicationLimits } from '../../shared/principal.ts'
import type { Counters, Rate, RateCounter, SlotCounter } from './counters.ts'
import { type LimitName, type LimitState, policyHeader } from './limit-headers.ts'

/** How long a request that waited for a reviewer queues for a slot before it fails. */
const SLOT_WAIT_MS = 30_000
/** Retry hint for a full concurrency limit; the end of the other requests is not known. */
const CONCURRENCY_RETRY_MS = 1_000

const NAMES: readonly LimitName[] = ['requests', 'tokens', 'concurrency']

const requestRate = (limits: ApplicationLimits): Rate => ({ perMinute: limits.requests_per_minute, capacity: limits.burst })

/** A limit that does not admit a request, and the milliseconds until it may. */
export interface FullLimit {
  readonly limit: LimitName
  readonly waitMs: number
}

/** The use of one Application's limits, as far as this node knows it. */
export class ApplicationUsage {
  readonly requests: RateCounter
  readonly slots: SlotCounter
  tokens: RateCounter | undefined
  policyHeader: string
  limits: ApplicationLimits
  readonly #id: string
  readonly #counters: Counters
  readonly #clock: () => number
  /** Requests that wait for a slot, first in, first out. */
  readonly #queue = new Set<() => void>()

  constructor(id: string, limits: ApplicationLimits, counters: Counters, clock: () => number) {
    const now = clock()
    this.#id = id
    this.#counters = counters
    this.#clock = clock
    this.limits = limits
    this.policyHeader = policyHeader(limits)
    this.requests = counters.rate(`${id} requests`, requestRate(limits), now)
    this.slots = counters.slots(`${id} slots`, limits.concurrency, () => this.#admitQueued())
    this.#adjustTokens(now)
  }

  adjust(limits: ApplicationLimits, now: number): void {
    this.limits = limits
    this.policyHeader = policyHeader(limits)
    this.requests.adjust(requestRate(limits), now)
    this.slots.adjust(limits.concurrency)
    this.#adjustTokens(now)
  }

  isIdle(now: number): boolean {
    return this.slots.isIdle(now) && this.requests.isIdle(now) && (this.tokens?.isIdle(now) ?? true)
  }

  /** The limit with the longest wait for a request of `cost` tokens; undefined: the request can be admitted now. */
  findFull(cost: number, now: number): FullLimit | undefined {
    return this.#findFull(cost, now).toSorted((a, b) => b.waitMs - a.waitMs)[0]
  }

  /**
   * Asks the other nodes for what `findFull` lacks. undefined: a refusal is final. The other limits are asked too, because their units could
   * be taken by other requests until the answer is there.
   */
  ask(cost: number, now: number): Promise<unknown> | undefined {
    const lacking = this.#findFull(cost, now).map(({ limit }) => limit)
    const answers = lacking.map((limit) => this.#ask(limit, cost, now))
    if (answers.includes(undefined)) return undefined
    const others = NAMES.filter((limit) => !lacking.includes(limit)).map((limit) => this.#ask(limit, cost, now))
    return Promise.all([...answers, ...others])
  }

  /** Takes a slot, now or when one becomes free. Resolves to false if none became free in time. */
  acquireSlot(): boolean | Promise<boolean> {
    if (this.slots.hasFree(this.#clock())) {
      this.slots.take()
      return true
    }
    return new Promise((resolve) => {
      const admit = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#queue.delete(admit)
        this.slots.expect(this.#queue.size)
        resolve(false)
      }, SLOT_WAIT_MS)
      this.#queue.add(admit)
      this.slots.expect(this.#queue.size)
    })
  }

  /** Remaining units of each limit. `user`: the counter of the request's user. */
  states(user: RateCounter | undefined, now: number): LimitState[] {
    const states: LimitState[] = [{ name: 'requests', ...this.requests.left(now) }]
    if (user) states.push({ name: 'user', ...user.left(now) })
    if (this.tokens) states.push({ name: 'tokens', ...this.tokens.left(now) })
    states.push({ name: 'concurrency', units: this.slots.left(now) })
    return states
  }

  #ask(limit: LimitName, cost: number, now: number): Promise<void> | undefined {
    if (limit === 'requests') return this.requests.ask(1, now)
    return limit === 'tokens' ? this.tokens?.ask(cost, now) : this.slots.ask(now)
  }

  #findFull(cost: number, now: number): FullLimit[] {
    const full: FullLimit[] = []
    const requestsMs = this.requests.waitMs(1, now)
    if (requestsMs > 0) full.push({ limit: 'requests', waitMs: requestsMs })
    const tokensMs = this.tokens?.waitMs(cost, now) ?? 0
    if (tokensMs > 0) full.push({ limit: 'tokens', waitMs: tokensMs })
    if (!this.slots.hasFree(now)) full.push({ limit: 'concurrency', waitMs: CONCURRENCY_RETRY_MS })
    return full
  }

  #adjustTokens(now: number): void {
    const perMinute = this.limits.tokens_per_minute
    if (perMinute === null) this.tokens = undefined
    else if (this.tokens) this.tokens.adjust({ perMinute, capacity: perMinute }, now)
    else this.tokens = this.#counters.rate(`${this.#id} tokens`, { perMinute, capacity: perMinute }, now)
  }

  #admitQueued(): void {
    const before = this.#queue.size
    if (before === 0) return
    const now = this.#clock()
    for (const admit of this.#queue) {
      if (!this.slots.hasFree(now)) break
      this.slots.take()
      this.#queue.delete(admit)
      admit()
    }
    if (this.#queue.size < before) this.slots.expect(this.#queue.size)
  }
}
