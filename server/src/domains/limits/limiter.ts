import { elapsed } from '../../platform/lib/clock.ts'
import { ApplicationUsage, type FullLimit } from './application-usage.ts'
import type { Counters, Rate, RateCounter } from './counters.ts'
import { IdleMap } from './idle-map.ts'
import type { Admission, Lease, LimitedApplication, RateRefusal } from './lease.ts'
import { limitHeaders, refusalText } from './limit-headers.ts'
import { LOCAL_COUNTERS } from './local-counters.ts'

/** How often a request asks the other nodes before it is refused. More than once only if other requests took what it was granted. */
const MOST_ASKS = 3

interface Charge {
  /** Tokens reserved now. */
  readonly cost: number
  /** Tokens reserved now or before the request waited for a reviewer. */
  readonly estimate: number
  /** Towards the rates. */
  readonly isCharged: boolean
}

interface Refused extends FullLimit {
  readonly cost: number
  readonly user?: RateCounter
}

type UserCounter = { readonly key: string; readonly counter: RateCounter }

/**
 * The limits of GW-LIM-2: per Application requests per minute with a burst, concurrent requests and tokens per minute, and requests
 * per minute for each of its users. Either all limits admit a request, or it is charged to none.
 *
 * A request is checked and charged in one synchronous step, so concurrent requests never exceed the limits together. The step waits only
 * if this node has to ask the other nodes (docs/decisions/0026-shared-limits.md). The user is known later and charged later
 * (`Lease.chargeUser`).
 */
export class Limiter {
  readonly #clock: () => number
  readonly #counters: Counters
  readonly #applications: IdleMap<ApplicationUsage>
  readonly #users: IdleMap<RateCounter>

  /** `clock`: milliseconds, monotonic. */
  constructor(clock: () => number = elapsed, counters: Counters = LOCAL_COUNTERS) {
    this.#clock = clock
    this.#counters = counters
    this.#users = new IdleMap((counter) => counter.isIdle(clock()))
    this.#applications = new IdleMap((usage) => usage.isIdle(clock()))
  }

  /** Applications and users in memory: those that are not idle, or were not until recently. */
  get size(): { applications: number; users: number } {
    return { applications: this.#applications.size, users: this.#users.size }
  }

  /**
   * Admits one request of about `tokens` tokens, or refuses it. Limits are read from `application`, so a change applies at once. A promise
   * only if other nodes have to be asked; it rejects if their counters cannot be read.
   */
  admit(application: LimitedApplication, tokens: number): Admission | Promise<Admission> {
    return this.#admit(application, wholeTokens(tokens))
  }

  /**
   * Continues an admitted request that has waited for its reviewer. Rates are not charged again; the request queues for a
   * concurrency slot. Undefined if no slot became free in time.
   */
  async resume(application: LimitedApplication, tokens: number): Promise<Lease | undefined> {
    const usage = this.#currentUsage(application)
    if (!(await usage.acquireSlot())) return undefined
    return this.#lease(application, usage, { cost: 0, estimate: wholeTokens(tokens), isCharged: false })
  }

  /** `cost`: in tokens. */
  #admit(application: LimitedApplication, cost: number, asks = 0): Admission | Promise<Admission> {
    const now = this.#clock()
    // A request that has asked does not apply its limits again: requests with older and newer limits would take each other's grants.
    const usage = asks === 0 ? this.#usageOf(application, now) : this.#currentUsage(application)
    const full = usage.findFull(cost, now)
    if (full) {
      const answer = asks < MOST_ASKS ? usage.ask(cost, now) : undefined
      if (answer) return answer.then(() => this.#admit(application, cost, asks + 1))
      return this.#refusal(application, usage, { ...full, cost }, now)
    }
    usage.slots.take()
    const lease = this.#lease(application, usage, { cost, estimate: cost, isCharged: true })
    this.#applications.sweep()
    this.#users.sweep()
    return { ok: true, lease }
  }

  /** For a request that has waited: the limits in memory may be newer than those that it came with. */
  #currentUsage(application: LimitedApplication): ApplicationUsage {
    return this.#applications.get(application.id) ?? this.#usageOf(application, this.#clock())
  }

  #usageOf({ id, limits }: LimitedApplication, now: number): ApplicationUsage {
    const known = this.#applications.get(id)
    if (known) {
      if (known.limits !== limits) known.adjust(limits, now)
      return known
    }
    const usage = new ApplicationUsage(id, limits, this.#counters, this.#clock)
    this.#applications.set(id, usage)
    return usage
  }

  /** The user's counter. A new one is not stored yet, so that refused requests leave nothing in memory. */
  #userCounter({ id, limits }: LimitedApplication, userId: string, now: number): UserCounter | undefined {
    const perMinute = limits.user_requests_per_minute
    if (perMinute === null || userId === '') return undefined
    const rate: Rate = { perMinute, capacity: Math.min(perMinute, limits.burst) }
    const key = `${id} user ${userId}`
    const counter = this.#users.get(key) ?? this.#counters.rate(key, rate, now)
    counter.adjust(rate, now)
    return { key, counter }
  }

  #lease(application: LimitedApplication, usage: ApplicationUsage, { cost, estimate, isCharged }: Charge): Lease {
    const clock = this.#clock
    const tokens = usage.tokens?.reserve(cost, clock)
    // The user's limit may still refuse the request, which refunds the rate.
    const mayBeRefunded = isCharged && application.limits.user_requests_per_minute !== null
    const request = mayBeRefunded ? usage.requests.reserve(1, clock) : undefined
    if (isCharged && !request) usage.requests.take(1)
    const headers = (user?: RateCounter) => limitHeaders(usage.policyHeader, usage.states(user, clock())).headers
    const slot = new Slot(usage, () => this.#currentUsage(application))
    let isReleased = false
    let mayChargeUser = mayBeRefunded
    const lease = {
      headers: headers(),
      chargeUser: (userId: string): RateRefusal | undefined | Promise<RateRefusal | undefined> => {
        const user = mayChargeUser ? this.#userCounter(application, userId, clock()) : undefined
        mayChargeUser = false
        if (!user) {
          request?.settle(1)
          return undefined
        }
        return this.#chargeUser(user, 0, (waitMs) => {
          request?.settle(waitMs > 0 ? 0 : 1)
          if (waitMs > 0) return this.#refusal(application, usage, { limit: 'user', waitMs, cost, user: user.counter }, clock())
          lease.headers = headers(user.counter)
          return undefined
        })
      },
      suspendWhile: (wait: () => Promise<boolean>) => slot.suspendWhile(wait),
      release: (actualTokens = estimate) => {
        if (isReleased) return
        isReleased = true
        slot.release()
        request?.settle(1)
        tokens?.settle(Math.max(0, wholeTokens(actualTokens) - (estimate - cost)))
      },
    }
    return lease
  }

  /** Charges one request to the user, after asking the other nodes if needed. `finish` gets the wait, 0 if it was charged. */
  #chargeUser<T>(user: UserCounter, asks: number, finish: (waitMs: number) => T): T | Promise<T> {
    const { key, counter } = user
    const now = this.#clock()
    const waitMs = counter.waitMs(1, now)
    const answer = waitMs > 0 && asks < MOST_ASKS ? counter.ask(1, now) : undefined
    if (waitMs === 0) counter.take(1)
    if (waitMs === 0 || answer) this.#users.set(key, counter)
    return answer ? answer.then(() => this.#chargeUser(user, asks + 1, finish)) : finish(waitMs)
  }

  #refusal(
    { limits }: LimitedApplication,
    usage: ApplicationUsage,
    { limit, waitMs, cost, user }: Refused,
    now: number,
  ): RateRefusal {
    const { seconds, headers } = limitHeaders(usage.policyHeader, usage.states(user, now), { limit, waitMs })
    const message = refusalText(limit, limits, cost, seconds, waitMs)
    return { ok: false, limit, retryAfterSeconds: seconds, message, headers }
  }
}

/** A concurrency slot that was taken already; released once. */
class Slot {
  #usage: ApplicationUsage
  #isTaken = true
  readonly #currentUsage: () => ApplicationUsage

  /** `currentUsage`: `usage`, or another one if `usage` became idle and was removed. */
  constructor(usage: ApplicationUsage, currentUsage: () => ApplicationUsage) {
    this.#usage = usage
    this.#currentUsage = currentUsage
  }

  release(): void {
    if (this.#isTaken) this.#usage.slots.release()
    this.#isTaken = false
  }

  async suspendWhile(wait: () => Promise<boolean>): Promise<boolean> {
    this.release()
    if (!(await wait())) return false
    this.#usage = this.#currentUsage()
    this.#isTaken = await this.#usage.acquireSlot()
    return this.#isTaken
  }
}

const wholeTokens = (tokens: number): number => Math.max(0, Math.ceil(tokens))
