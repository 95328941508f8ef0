import type { Application, ApplicationLimits } from '../domain/principal.ts'
import { elapsed } from '../lib/clock.ts'
import { Bucket, type Rate } from './bucket.ts'
import { IdleMap } from './idle-map.ts'
import { type LimitName, type LimitState, limitHeaders, policyHeader, refusalText } from './limit-headers.ts'

/** What an admitted request holds until its answer is out. */
export interface Lease {
  /**
   * Gives the place among the concurrent requests back and puts the reserved tokens right: to what the request and its
   * answer really took, 0 if no provider was asked. Without a number they stay spent as estimated. Only the first call counts.
   */
  release(actualTokens?: number): void
}

export type Admission =
  | { readonly ok: true; readonly lease: Lease; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly ok: false
      readonly limit: LimitName
      /** Whole seconds, at least 1; also in `headers`. */
      readonly retryAfterSeconds: number
      /** Public text: says whose limit it is, which, and when to come back. */
      readonly message: string
      readonly headers: Readonly<Record<string, string>>
    }

/** How long to wait for another request to end; nobody knows, so: a moment. */
const CONCURRENCY_RETRY_MS = 1_000

/** One Application's state on this node. */
interface Usage {
  limits: ApplicationLimits
  policy: string
  readonly requests: Bucket
  tokens: Bucket | undefined
  inFlight: number
}

/**
 * The limits of decisions.md §2.10: per Application requests a minute with a burst, concurrent requests and tokens a minute,
 * and requests a minute for one of its users. A request is admitted by all of them or charged to none.
 *
 * `admit` does not wait for anything, so no two admissions overlap: what is admitted never exceeds what the limits allow,
 * however many requests arrive at once. The state is this node's own (docs/decisions/0009-identity-and-limits.md).
 */
export class Limiter {
  readonly #clock: () => number
  readonly #applications: IdleMap<Usage>
  readonly #users: IdleMap<Bucket>

  /** `clock`: milliseconds, monotonic. */
  constructor(clock: () => number = elapsed) {
    this.#clock = clock
    this.#users = new IdleMap((bucket) => bucket.isIdle(clock()))
    this.#applications = new IdleMap(
      (usage) => usage.inFlight === 0 && usage.requests.isIdle(clock()) && (usage.tokens?.isIdle(clock()) ?? true),
    )
  }

  /** How much is remembered: Applications and users that have not been idle long enough to forget. */
  get size(): { applications: number; users: number } {
    return { applications: this.#applications.size, users: this.#users.size }
  }

  /**
   * Asks for one request of about `tokens` tokens. `userId` is empty when the request names nobody. Limits are read from
   * `application` each time, so a changed limit is in force with the first request that sees it.
   */
  admit(application: Pick<Application, 'id' | 'limits'>, userId: string, tokens: number): Admission {
    const now = this.#clock()
    const { limits } = application
    const usage = this.#usageOf(application, now)
    const user = userId === '' ? undefined : this.#userBucket(application, userId, now)
    const cost = Math.max(0, Math.ceil(tokens))

    const waits: [LimitName, number][] = [
      ['requests', usage.requests.waitMs(1, now)],
      ['user', user?.bucket.waitMs(1, now) ?? 0],
      ['tokens', usage.tokens?.waitMs(cost, now) ?? 0],
      ['concurrency', usage.inFlight < limits.concurrency ? 0 : CONCURRENCY_RETRY_MS],
    ]
    const [limit, waitMs] = waits.reduce((longest, wait) => (wait[1] > longest[1] ? wait : longest))
    if (waitMs > 0) {
      const { seconds, headers } = limitHeaders(usage.policy, this.#states(usage, user?.bucket, now), { limit, waitMs })
      const message = refusalText(limit, limits, cost, seconds, waitMs)
      return { ok: false, limit, retryAfterSeconds: seconds, message, headers }
    }

    usage.requests.take(1)
    usage.inFlight += 1
    if (user) {
      user.bucket.take(1)
      this.#users.set(user.key, user.bucket)
    }
    const lease = this.#lease(usage, cost)
    this.#applications.sweep()
    this.#users.sweep()
    return { ok: true, lease, headers: limitHeaders(usage.policy, this.#states(usage, user?.bucket, now)).headers }
  }

  #usageOf({ id, limits }: Pick<Application, 'id' | 'limits'>, now: number): Usage {
    let usage = this.#applications.get(id)
    if (usage?.limits === limits) return usage
    if (usage) {
      usage.requests.adjust(requestRate(limits), now)
      usage.limits = limits
      usage.policy = policyHeader(limits)
    } else {
      usage = {
        limits,
        policy: policyHeader(limits),
        requests: new Bucket(requestRate(limits), now),
        tokens: undefined,
        inFlight: 0,
      }
      this.#applications.set(id, usage)
    }
    const perMinute = limits.tokens_per_minute
    if (perMinute === null) usage.tokens = undefined
    else if (usage.tokens) usage.tokens.adjust({ perMinute, capacity: perMinute }, now)
    else usage.tokens = new Bucket({ perMinute, capacity: perMinute }, now)
    return usage
  }

  /** The user's bucket, not yet remembered if it is new: requests that are refused leave nothing behind. */
  #userBucket({ id, limits }: Pick<Application, 'id' | 'limits'>, userId: string, now: number) {
    const perMinute = limits.user_requests_per_minute
    if (perMinute === null) return undefined
    const rate: Rate = { perMinute, capacity: Math.min(perMinute, limits.burst) }
    const key = `${id} ${userId}`
    const bucket = this.#users.get(key) ?? new Bucket(rate, now)
    bucket.adjust(rate, now)
    return { key, bucket }
  }

  #lease(usage: Usage, tokens: number): Lease {
    const reservation = usage.tokens?.reserve(tokens, this.#clock)
    let held = true
    return {
      release: (actualTokens = tokens) => {
        if (!held) return
        held = false
        usage.inFlight -= 1
        reservation?.settle(Math.max(0, Math.ceil(actualTokens)))
      },
    }
  }

  #states(usage: Usage, user: Bucket | undefined, now: number): LimitState[] {
    const states: LimitState[] = [{ name: 'requests', ...usage.requests.left(now) }]
    if (user) states.push({ name: 'user', ...user.left(now) })
    if (usage.tokens) states.push({ name: 'tokens', ...usage.tokens.left(now) })
    states.push({ name: 'concurrency', units: Math.max(0, usage.limits.concurrency - usage.inFlight) })
    return states
  }
}

const requestRate = (limits: ApplicationLimits): Rate => ({ perMinute: limits.requests_per_minute, capacity: limits.burst })
