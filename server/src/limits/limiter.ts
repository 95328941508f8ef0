import type { Application, ApplicationLimits } from '../domain/principal.ts'
import { elapsed } from '../lib/clock.ts'
import { Bucket, type Rate } from './bucket.ts'
import { IdleMap } from './idle-map.ts'
import { type LimitName, type LimitState, limitHeaders, policyHeader, refusalText } from './limit-headers.ts'

/** What an admitted request holds until its answer is out. */
export interface Lease {
  /** The limits and what is left of them, as of the last charge. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Charges the request to the limit of its user, once it is known who that is; empty: nobody. Refused, it is not charged to
   * the Application's rate either. Only the first call counts: an exchange that has waited is looked at anew.
   */
  chargeUser(userId: string): RateRefusal | undefined
  /**
   * Waits for something that uses nothing, without the place among the concurrent requests; true when it came and there is
   * a place again.
   */
  away(wait: () => Promise<boolean>): Promise<boolean>
  /**
   * Gives the place back and puts the reserved tokens right: to what the request and its answer really took, 0 if no provider
   * was asked. Without a number they stay spent as estimated. Only the first call counts.
   */
  release(actualTokens?: number): void
}

/** Of a request that no limit applies to. */
export const UNLIMITED: Lease = {
  headers: {},
  chargeUser: () => undefined,
  away: (wait) => wait(),
  release: () => {},
}

export interface RateRefusal {
  readonly ok: false
  readonly limit: LimitName
  /** Whole seconds, at least 1; also in `headers`. */
  readonly retryAfterSeconds: number
  /** Public text: says whose limit it is, which, and when to come back. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

export type Admission = { readonly ok: true; readonly lease: Lease } | RateRefusal

/** How long to wait for another request to end; nobody knows, so: a moment. */
const CONCURRENCY_RETRY_MS = 1_000
/** How long a request that has waited for its reviewer stands in line for a place before it is told to come again. */
const PLACE_PATIENCE_MS = 30_000

/** One Application's state on this node. */
interface Usage {
  limits: ApplicationLimits
  policy: string
  readonly requests: Bucket
  tokens: Bucket | undefined
  inFlight: number
  /** Who stands in line for a place, first come first served. */
  readonly line: Set<() => void>
}

type Limited = Pick<Application, 'id' | 'limits'>

/**
 * The limits of decisions.md §2.10: per Application requests a minute with a burst, concurrent requests and tokens a minute,
 * and requests a minute for one of its users. A request is admitted by all of them or charged to none.
 *
 * `admit` does not wait for anything, so no two admissions overlap: what is admitted never exceeds what the limits allow,
 * however many requests arrive at once. Who the user is turns out later, so that limit is charged later (`Lease`). The state
 * is this node's own (docs/decisions/0009-identity-and-limits.md).
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
   * Asks for one request of about `tokens` tokens. Limits are read from `application` each time, so a changed limit is in
   * force with the first request that sees it.
   */
  admit(application: Limited, tokens: number): Admission {
    const now = this.#clock()
    const { limits } = application
    const usage = this.#usageOf(application, now)
    const cost = wholeTokens(tokens)

    const waits: [LimitName, number][] = [
      ['requests', usage.requests.waitMs(1, now)],
      ['tokens', usage.tokens?.waitMs(cost, now) ?? 0],
      ['concurrency', usage.inFlight < limits.concurrency ? 0 : CONCURRENCY_RETRY_MS],
    ]
    const [limit, waitMs] = waits.reduce((longest, wait) => (wait[1] > longest[1] ? wait : longest))
    if (waitMs > 0) return this.#refusal(application, usage, { limit, waitMs, cost }, now)

    usage.inFlight += 1
    const lease = this.#lease(application, usage, { cost, estimate: cost, isCharged: true })
    this.#applications.sweep()
    this.#users.sweep()
    return { ok: true, lease }
  }

  /**
   * Lets a request go on that was admitted before, with that estimate, and has waited for its reviewer since: no rate is
   * charged again, and it stands in line for a place. Undefined: none came free in time.
   */
  async resume(application: Limited, tokens: number): Promise<Lease | undefined> {
    const usage = await this.#enter(application)
    return usage && this.#lease(application, usage, { cost: 0, estimate: wholeTokens(tokens), isCharged: false })
  }

  #usageOf({ id, limits }: Limited, now: number): Usage {
    let usage = this.#applications.get(id)
    if (usage?.limits === limits) return usage
    if (usage) {
      usage.requests.adjust(requestRate(limits), now)
      usage.limits = limits
      usage.policy = policyHeader(limits)
      serve(usage)
    } else {
      usage = {
        limits,
        policy: policyHeader(limits),
        requests: new Bucket(requestRate(limits), now),
        tokens: undefined,
        inFlight: 0,
        line: new Set(),
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
  #userBucket({ id, limits }: Limited, userId: string, now: number) {
    const perMinute = limits.user_requests_per_minute
    if (perMinute === null || userId === '') return undefined
    const rate: Rate = { perMinute, capacity: Math.min(perMinute, limits.burst) }
    const key = `${id} ${userId}`
    const bucket = this.#users.get(key) ?? new Bucket(rate, now)
    bucket.adjust(rate, now)
    return { key, bucket }
  }

  /** A place, at once or in its turn; undefined: none in time. */
  #enter(application: Limited): Usage | Promise<Usage | undefined> {
    // Newer limits than those that this request came with stay in force.
    const usage = this.#applications.get(application.id) ?? this.#usageOf(application, this.#clock())
    if (usage.inFlight < usage.limits.concurrency) {
      usage.inFlight += 1
      return usage
    }
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer)
        resolve(usage)
      }
      const timer = setTimeout(() => {
        usage.line.delete(enter)
        resolve(undefined)
      }, PLACE_PATIENCE_MS)
      usage.line.add(enter)
    })
  }

  /** `cost`: tokens reserved now. `estimate`: those reserved now or before. */
  #lease(
    application: Limited,
    usage: Usage,
    { cost, estimate, isCharged }: { cost: number; estimate: number; isCharged: boolean },
  ): Lease {
    const clock = this.#clock
    const tokens = usage.tokens?.reserve(cost, clock)
    // Its user may turn out to be at the limit: then it was not charged at all.
    const mayBeRefused = isCharged && application.limits.user_requests_per_minute !== null
    const request = mayBeRefused ? usage.requests.reserve(1, clock) : undefined
    if (isCharged && !request) usage.requests.take(1)
    const headers = (user?: Bucket) => limitHeaders(usage.policy, this.#states(usage, user, clock())).headers
    let place: Usage | undefined = usage
    let held = true
    let mayChargeUser = mayBeRefused
    const leave = () => {
      if (place) free(place)
      place = undefined
    }
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
      away: async (wait: () => Promise<boolean>) => {
        leave()
        if (!(await wait())) return false
        place = await this.#enter(application)
        return place !== undefined
      },
      release: (actualTokens = estimate) => {
        if (!held) return
        held = false
        leave()
        request?.settle(1)
        tokens?.settle(Math.max(0, wholeTokens(actualTokens) - (estimate - cost)))
      },
    }
    return lease
  }

  #refusal(
    { limits }: Limited,
    usage: Usage,
    { limit, waitMs, cost, user }: { limit: LimitName; waitMs: number; cost: number; user?: Bucket },
    now: number,
  ): RateRefusal {
    const { seconds, headers } = limitHeaders(usage.policy, this.#states(usage, user, now), { limit, waitMs })
    const message = refusalText(limit, limits, cost, seconds, waitMs)
    return { ok: false, limit, retryAfterSeconds: seconds, message, headers }
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

const wholeTokens = (tokens: number): number => Math.max(0, Math.ceil(tokens))

function free(usage: Usage): void {
  usage.inFlight -= 1
  serve(usage)
}

/** Hands free places to those in line: nobody who comes later overtakes them. */
function serve(usage: Usage): void {
  for (const enter of usage.line) {
    if (usage.inFlight >= usage.limits.concurrency) return
    usage.inFlight += 1
    usage.line.delete(enter)
    enter()
  }
}
