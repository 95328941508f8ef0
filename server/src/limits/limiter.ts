import { elapsed } from '../lib/clock.ts'
import { ApplicationUsage } from './application-usage.ts'
import { Bucket, type Rate } from './bucket.ts'
import { IdleMap } from './idle-map.ts'
import type { Admission, Lease, LimitedApplication, RateRefusal } from './lease.ts'
import { type LimitName, limitHeaders, refusalText } from './limit-headers.ts'

/** Retry hint for a full concurrency limit; the end of the other requests is not known. */
const CONCURRENCY_RETRY_MS = 1_000

interface Charge {
  /** Tokens reserved now. */
  readonly cost: number
  /** Tokens reserved now or before the request waited for a reviewer. */
  readonly estimate: number
  /** Whether the request counts towards the rates. */
  readonly isCharged: boolean
}

interface Refused {
  readonly limit: LimitName
  readonly waitMs: number
  readonly cost: number
  readonly user?: Bucket
}

/**
 * The limits of GW-LIM-2: per Application requests per minute with a burst, concurrent requests and tokens per minute, and requests
 * per minute for each of its users. Either all limits admit a request, or it is charged to none.
 *
 * `admit` is synchronous, so concurrent requests never exceed the limits together. The user is known later and charged later
 * (`Lease.chargeUser`). The state is local to this node (docs/decisions/0009-identity-and-limits.md).
 */
export class Limiter {
  readonly #clock: () => number
  readonly #applications: IdleMap<ApplicationUsage>
  readonly #users: IdleMap<Bucket>

  /** `clock`: milliseconds, monotonic. */
  constructor(clock: () => number = elapsed) {
    this.#clock = clock
    this.#users = new IdleMap((bucket) => bucket.isIdle(clock()))
    this.#applications = new IdleMap((usage) => usage.isIdle(clock()))
  }

  /** Applications and users in memory: those that are not idle, or were not until recently. */
  get size(): { applications: number; users: number } {
    return { applications: this.#applications.size, users: this.#users.size }
  }

  /** Admits one request of about `tokens` tokens, or refuses it. Limits are read from `application`, so a change applies at once. */
  admit(application: LimitedApplication, tokens: number): Admission {
    const now = this.#clock()
    const usage = this.#usageOf(application, now)
    const cost = wholeTokens(tokens)

    const waits: [LimitName, number][] = [
      ['requests', usage.requests.waitMs(1, now)],
      ['tokens', usage.tokens?.waitMs(cost, now) ?? 0],
      ['concurrency', usage.hasFreeSlot ? 0 : CONCURRENCY_RETRY_MS],
    ]
    const [limit, waitMs] = waits.reduce((longest, wait) => (wait[1] > longest[1] ? wait : longest))
    if (waitMs > 0) return this.#refusal(application, usage, { limit, waitMs, cost }, now)

    usage.takeSlot()
    const lease = this.#lease(application, usage, { cost, estimate: cost, isCharged: true })
    this.#applications.sweep()
    this.#users.sweep()
    return { ok: true, lease }
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
    const usage = new ApplicationUsage(limits, now)
    this.#applications.set(id, usage)
    return usage
  }

  /** The user's bucket. A new one is not stored yet, so that refused requests leave nothing in memory. */
  #userBucket({ id, limits }: LimitedApplication, userId: string, now: number) {
    const perMinute = limits.user_requests_per_minute
    if (perMinute === null || userId === '') return undefined
    const rate: Rate = { perMinute, capacity: Math.min(perMinute, limits.burst) }
    const key = `${id} ${userId}`
    const bucket = this.#users.get(key) ?? new Bucket(rate, now)
    bucket.adjust(rate, now)
    return { key, bucket }
  }

  #lease(application: LimitedApplication, usage: ApplicationUsage, { cost, estimate, isCharged }: Charge): Lease {
    const clock = this.#clock
    const tokens = usage.tokens?.reserve(cost, clock)
    // The user's limit may still refuse the request, which refunds the rate.
    const mayBeRefunded = isCharged && application.limits.user_requests_per_minute !== null
    const request = mayBeRefunded ? usage.requests.reserve(1, clock) : undefined
    if (isCharged && !request) usage.requests.take(1)
    const headers = (user?: Bucket) => limitHeaders(usage.policyHeader, usage.states(user, clock())).headers
    const slot = new Slot(usage, () => this.#currentUsage(application))
    let isReleased = false
    let mayChargeUser = mayBeRefunded
    const lease = {
      headers: headers(),
      chargeUser: (userId: string) => {
        const now = clock()
        const user = mayChargeUser ? this.#userBucket(application, userId, now) : undefined
        const waitMs = user?.bucket.waitMs(1, now) ?? 0
        request?.settle(waitMs > 0 ? 0 : 1)
        mayChargeUser = false
        if (!user) return undefined
        if (waitMs > 0) return this.#refusal(application, usage, { limit: 'user', waitMs, cost, user: user.bucket }, now)
        user.bucket.take(1)
        this.#users.set(user.key, user.bucket)
        lease.headers = headers(user.bucket)
        return undefined
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
    if (this.#isTaken) this.#usage.releaseSlot()
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
