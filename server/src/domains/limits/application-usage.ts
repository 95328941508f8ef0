import type { ApplicationLimits } from '../../shared/principal.ts'
import type { Counters, RateCounter, SlotCounter } from './counters.ts'
import { type FullLimit, type LimitName, type LimitState, policyHeader } from './limit-headers.ts'
import { RateUsage } from './rate-usage.ts'

/** How long a request that waited for a reviewer queues for a slot before it fails. */
const SLOT_WAIT_MS = 30_000
/** Retry hint for a full concurrency limit; the end of the other requests is not known. */
const CONCURRENCY_RETRY_MS = 1_000

const NAMES: readonly LimitName[] = ['requests', 'tokens', 'concurrency']

/** The use of one Application's limits, as far as this node knows it. */
export class ApplicationUsage extends RateUsage<ApplicationLimits> {
  readonly slots: SlotCounter
  policyHeader: string
  readonly #clock: () => number
  /** Requests that wait for a slot, first in, first out. */
  readonly #queue = new Set<() => void>()

  constructor(id: string, limits: ApplicationLimits, counters: Counters, clock: () => number) {
    super(id, 'this Application', limits, counters, clock())
    this.#clock = clock
    this.policyHeader = policyHeader(limits)
    this.slots = counters.slots(`${id} slots`, limits.concurrency, () => this.#admitQueued())
  }

  override adjust(limits: ApplicationLimits, now: number): void {
    super.adjust(limits, now)
    this.policyHeader = policyHeader(limits)
    this.slots.adjust(limits.concurrency)
  }

  override isIdle(now: number): boolean {
    return this.slots.isIdle(now) && super.isIdle(now)
  }

  override findFull(cost: number, now: number): FullLimit[] {
    const full = super.findFull(cost, now)
    if (!this.slots.hasFree(now)) full.push(this.full('concurrency', CONCURRENCY_RETRY_MS))
    return full
  }

  override ask(limit: LimitName, cost: number, now: number): Promise<void> | undefined {
    return limit === 'concurrency' ? this.slots.ask(now) : super.ask(limit, cost, now)
  }

  override get names(): readonly LimitName[] {
    return NAMES
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
    const states = this.rateStates(now)
    if (user) states.splice(1, 0, { name: 'user', ...user.left(now) })
    states.push({ name: 'concurrency', units: this.slots.left(now) })
    return states
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
