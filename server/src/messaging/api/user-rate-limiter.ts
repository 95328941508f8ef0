import { GatehouseError } from '../../errors.ts'
import { elapsed } from '../../lib/clock.ts'
import { Bucket, type Rate } from '../../limits/bucket.ts'
import { IdleMap } from '../../limits/idle-map.ts'
import { limitHeaders } from '../../limits/limit-headers.ts'
import type { Member } from './member.ts'

/** `send`: requests that send a message. `other`: all other requests. */
export type RequestKind = 'send' | 'other'
export type UserRates = Readonly<Record<RequestKind, Rate>>

/** For each user (MSG-LIM-1): 5 messages per second with bursts of 20, and 20 other requests per second. */
const RATES: UserRates = {
  send: { perMinute: 300, capacity: 20 },
  other: { perMinute: 1_200, capacity: 20 },
}
const NAMES = { send: 'messages', other: 'requests' } as const

/** Limits the requests of each user on this node. */
export class UserRateLimiter {
  readonly #rates: UserRates
  readonly #clock: () => number
  readonly #buckets: IdleMap<Bucket>

  /** `clock` returns milliseconds and never goes back. */
  constructor(rates: UserRates = RATES, clock: () => number = elapsed) {
    this.#rates = rates
    this.#clock = clock
    this.#buckets = new IdleMap((bucket) => bucket.isIdle(clock()))
  }

  /** Counts a request and returns the rate limit headers. Throws RATE_LIMITED if the user has reached the limit. */
  admit({ workspaceId, user }: Member, kind: RequestKind): Readonly<Record<string, string>> {
    const now = this.#clock()
    const rate = this.#rates[kind]
    const key = `${kind} ${workspaceId} ${user.id}`
    const bucket = this.#buckets.get(key) ?? new Bucket(rate, now)
    const perSecond = rate.perMinute / 60
    const policy = `"user";q=${perSecond};w=1;gatehouse-burst=${rate.capacity}`
    const waitMs = bucket.waitMs(1, now)
    if (waitMs === 0) {
      bucket.take(1)
      this.#buckets.set(key, bucket)
      this.#buckets.sweep()
    }
    const state = { name: 'user' as const, ...bucket.left(now) }
    if (waitMs === 0) return limitHeaders(policy, [state]).headers
    const { seconds, headers } = limitHeaders(policy, [state], { limit: 'user', waitMs })
    const limit = `${perSecond} ${NAMES[kind]} per second (burst ${rate.capacity}) for one user`
    throw new GatehouseError('RATE_LIMITED', {
      message: `The gateway's limit of ${limit} is reached. Try again in ${seconds} s.`,
      headers,
    })
  }
}
