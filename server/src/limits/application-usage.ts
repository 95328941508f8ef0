import type { ApplicationLimits } from '../domain/principal.ts'
import { Bucket, type Rate } from './bucket.ts'
import { type LimitState, policyHeader } from './limit-headers.ts'

/** How long a request that waited for a reviewer queues for a slot before it fails. */
const SLOT_WAIT_MS = 30_000

const requestRate = (limits: ApplicationLimits): Rate => ({ perMinute: limits.requests_per_minute, capacity: limits.burst })

/** The use of one Application's limits on this node. */
export class ApplicationUsage {
  readonly requests: Bucket
  tokens: Bucket | undefined
  policyHeader: string
  limits: ApplicationLimits
  #inFlight = 0
  /** Requests that wait for a slot, first in, first out. */
  readonly #queue = new Set<() => void>()

  constructor(limits: ApplicationLimits, now: number) {
    this.limits = limits
    this.policyHeader = policyHeader(limits)
    this.requests = new Bucket(requestRate(limits), now)
    this.#adjustTokens(now)
  }

  /** Applies changed limits from now on. */
  adjust(limits: ApplicationLimits, now: number): void {
    this.limits = limits
    this.policyHeader = policyHeader(limits)
    this.requests.adjust(requestRate(limits), now)
    this.#adjustTokens(now)
    this.#admitQueued()
  }

  get hasFreeSlot(): boolean {
    return this.#inFlight < this.limits.concurrency
  }

  isIdle(now: number): boolean {
    return this.#inFlight === 0 && this.requests.isIdle(now) && (this.tokens?.isIdle(now) ?? true)
  }

  takeSlot(): void {
    this.#inFlight += 1
  }

  releaseSlot(): void {
    this.#inFlight -= 1
    this.#admitQueued()
  }

  /** Takes a slot, now or when one becomes free. Resolves to false if none became free in time. */
  acquireSlot(): boolean | Promise<boolean> {
    if (this.hasFreeSlot) {
      this.takeSlot()
      return true
    }
    return new Promise((resolve) => {
      const admit = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#queue.delete(admit)
        resolve(false)
      }, SLOT_WAIT_MS)
      this.#queue.add(admit)
    })
  }

  /** Remaining units of each limit. `user`: the bucket of the request's user. */
  states(user: Bucket | undefined, now: number): LimitState[] {
    const states: LimitState[] = [{ name: 'requests', ...this.requests.left(now) }]
    if (user) states.push({ name: 'user', ...user.left(now) })
    if (this.tokens) states.push({ name: 'tokens', ...this.tokens.left(now) })
    states.push({ name: 'concurrency', units: Math.max(0, this.limits.concurrency - this.#inFlight) })
    return states
  }

  #adjustTokens(now: number): void {
    const perMinute = this.limits.tokens_per_minute
    if (perMinute === null) this.tokens = undefined
    else if (this.tokens) this.tokens.adjust({ perMinute, capacity: perMinute }, now)
    else this.tokens = new Bucket({ perMinute, capacity: perMinute }, now)
  }

  #admitQueued(): void {
    for (const admit of this.#queue) {
      if (!this.hasFreeSlot) return
      this.#inFlight += 1
      this.#queue.delete(admit)
      admit()
    }
  }
}
