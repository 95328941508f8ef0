import { elapsed } from '../../platform/lib/clock.ts'
import type { RateLimits, Restriction } from '../../shared/principal.ts'
import { ApplicationUsage } from './application-usage.ts'
import { headersOf, type Usages } from './binding-limits.ts'
import type { Counters, Rate, RateCounter } from './counters.ts'
import { IdleMap } from './idle-map.ts'
import type { Admission, Lease, LimitedApplication, RateRefusal } from './lease.ts'
import { type FullLimit, refusalText } from './limit-headers.ts'
import { LOCAL_COUNTERS } from './local-counters.ts'
import { askNodes, findLongestWait, RateUsage } from './rate-usage.ts'

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

type UserCounter = { readonly key: string; readonly counter: RateCounter }

/**
 * The limits of GW-LIM-2: per Application requests per minute with a burst, concurrent requests and tokens per minute, and requests
 * per minute for each of its users; requests and tokens per minute of the key and its team. Either all limits admit a request, or it is charged to none.
 *
 * A request is checked and charged in one synchronous step, so concurrent requests never exceed the limits together. The step waits only
 * if this node has to ask the other nodes (docs/decisions/0026-shared-limits.md). The user is known later and charged later
 * (`Lease.chargeUser`).
 */
export class Limiter {
  readonly #clock: () => number
  readonly #counters: Counters
  readonly #applications: IdleMap<ApplicationUsage>
  readonly #restricted: IdleMap<RateUsage>
  readonly #users: IdleMap<RateCounter>

  /** `clock`: milliseconds, monotonic. */
  constructor(clock: () => number = elapsed, counters: Counters = LOCAL_COUNTERS) {
    this.#clock = clock
    this.#counters = counters
    this.#users = new IdleMap((counter) => counter.isIdle(clock()))
    this.#restricted = new IdleMap((usage) => usage.isIdle(clock()))
    this.#applications = new IdleMap((usage) => usage.isIdle(clock()))
  }

  /** Applications, keys and teams with limits, and users in memory: those that are not idle, or were not until recently. */
  get size(): { applications: number; keys: number; users: number } {
    return { applications: this.#applications.size, keys: this.#restricted.size, users: this.#users.size }
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
    const usages = this.#currentUsages(application)
    if (!(await usages.application.acquireSlot())) return undefined
    return this.#lease(application, usages, { cost: 0, estimate: wholeTokens(tokens), isCharged: false })
  }

  /** `cost`: in tokens. */
  #admit(application: LimitedApplication, cost: number, asks = 0): Admission | Promise<Admission> {
    const now = this.#clock()
    // A request that has asked does not apply its limits again: requests with older and newer limits would take each other's grants.
    const usages = this.#usages(application, now, asks === 0)
    const full = findLongestWait(usages.all, cost, now)
    if (full) {
      const answer = asks < MOST_ASKS ? askNodes(usages.all, cost, now) : undefined
      if (answer) return answer.then(() => this.#admit(application, cost, asks + 1))
      return refusal(usages, full, cost, undefined, now)
    }
    usages.application.slots.take()
    const lease = this.#lease(application, usages, { cost, estimate: cost, isCharged: true })
    this.#applications.sweep()
    this.#users.sweep()
    if (usages.all.length > 1) this.#restricted.sweep()
    return { ok: true, lease }
  }

  /** For a request that has waited: the limits in memory may be newer than those that it came with. */
  #currentUsages(application: LimitedApplication): Usages {
    return this.#usages(application, this.#clock(), false)
  }

  #usages({ id, limits, restrictions }: LimitedApplication, now: number, adjusts: boolean): Usages {
    const create = () => new ApplicationUsage(id, limits, this.#counters, this.#clock)
    const application = usageIn(this.#applications, id, limits, { create, now, adjusts })
    const all: RateUsage[] = [application]
    if (restrictions) this.#addRestricted(all, restrictions, { now, adjusts })
    return { application, all }
  }

  #addRestricted(all: RateUsage[], restrictions: readonly Restriction[], options: { now: number; adjusts: boolean }): void {
    for (const { id, owner, limits } of restrictions) {
      if (!limits) continue
      const create = () => new RateUsage(id, owner, limits, this.#counters, options.now)
      all.push(usageIn(this.#restricted, id, limits, { create, ...options }))
    }
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

  #lease(application: LimitedApplication, usages: Usages, { cost, estimate, isCharged }: Charge): Lease {
    const clock = this.#clock
    const tokens = usages.all.map((usage) => usage.tokens?.reserve(cost, clock))
    // The user's limit may still refuse the request, which refunds the rate.
    const mayBeRefunded = isCharged && application.limits.user_requests_per_minute !== null
    const requests = mayBeRefunded ? usages.all.map((usage) => usage.requests?.reserve(1, clock)) : []
    if (isCharged && !mayBeRefunded) for (const usage of usages.all) usage.requests?.take(1)
    const settleRequests = (actual: number) => {
      for (const request of requests) request?.settle(actual)
    }
    const headers = (user?: RateCounter) => headersOf(usages, user, clock()).headers
    const slot = new Slot(usages.application, () => this.#currentUsages(application).application)
    let isReleased = false
    let mayChargeUser = mayBeRefunded
    const lease = {
      headers: headers(),
      chargeUser: (userId: string): RateRefusal | undefined | Promise<RateRefusal | undefined> => {
        const user = mayChargeUser ? this.#userCounter(application, userId, clock()) : undefined
        mayChargeUser = false
        if (!user) {
          settleRequests(1)
          return undefined
        }
        return this.#chargeUser(user, 0, (waitMs) => {
          settleRequests(waitMs > 0 ? 0 : 1)
          if (waitMs > 0) {
            const { limits, owner } = usages.application
            return refusal(usages, { limit: 'user', waitMs, limits, owner }, cost, user.counter, clock())
          }
          lease.headers = headers(user.counter)
          return undefined
        })
      },
      suspendWhile: (wait: () => Promise<boolean>) => slot.suspendWhile(wait),
      release: (actualTokens = estimate) => {
        if (isReleased) return
        isReleased = true
        slot.release()
        settleRequests(1)
        for (const reserved of tokens) reserved?.settle(Math.max(0, wholeTokens(actualTokens) - (estimate - cost)))
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
}

interface UsageOptions<Usage> {
  readonly create: () => Usage
  readonly now: number
  /** Whether `limits` replace those in memory. */
  readonly adjusts: boolean
}

function usageIn<Limits extends RateLimits, Usage extends RateUsage<Limits>>(
  known: IdleMap<Usage>,
  id: string,
  limits: Limits,
  { create, now, adjusts }: UsageOptions<Usage>,
): Usage {
  const usage = known.get(id)
  if (usage) {
    if (adjusts && usage.limits !== limits) usage.adjust(limits, now)
    return usage
  }
  const created = create()
  known.set(id, created)
  return created
}

function refusal(usages: Usages, full: FullLimit, cost: number, user: RateCounter | undefined, now: number): RateRefusal {
  const { seconds, headers } = headersOf(usages, user, now, full)
  const message = refusalText(full, usages.application.limits, cost, seconds)
  return { ok: false, limit: full.limit, retryAfterSeconds: seconds, message, headers }
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
