import { elapsed } from '../../../platform/lib/clock.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Counters, Rate, RateCounter } from '../../limits/counters.ts'
import { IdleMap } from '../../limits/idle-map.ts'
import { limitHeaders } from '../../limits/limit-headers.ts'
import { LOCAL_COUNTERS } from '../../limits/local-counters.ts'
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

/** How often a request asks the other nodes before it is refused. */
const MOST_ASKS = 3

type Admission = Readonly<Record<string, string>> | Refusal

export class UserRateLimiter {
  readonly #rates: UserRates
  readonly #clock: () => number
  readonly #counters: Counters
  readonly #users: IdleMap<RateCounter>

  /** `clock` returns milliseconds and never goes back. */
  constructor(rates: UserRates = RATES, clock: () => number = elapsed, counters: Counters = LOCAL_COUNTERS) {
    this.#rates = rates
    this.#clock = clock
    this.#counters = counters
    this.#users = new IdleMap((counter) => counter.isIdle(clock()))
  }

  /** Returns rate limit headers or RATE_LIMITED: a promise only if other nodes have to be asked. */
  admit({ workspaceId, user }: Member, kind: RequestKind): Admission | Promise<Admission> {
    return this.#admit(`${kind} ${workspaceId} ${user.id}`, kind, 0)
  }

  #admit(key: string, kind: RequestKind, asks: number): Admission | Promise<Admission> {
    const now = this.#clock()
    const rate = this.#rates[kind]
    const counter = this.#users.get(key) ?? this.#counters.rate(key, rate, now)
    const waitMs = counter.waitMs(1, now)
    const answer = waitMs > 0 && asks < MOST_ASKS ? counter.ask(1, now) : undefined
    if (waitMs === 0) counter.take(1)
    if (waitMs === 0 || answer) this.#users.set(key, counter)
    if (answer) return answer.then(() => this.#admit(key, kind, asks + 1))
    this.#users.sweep()
    return admission(rate, NAMES[kind], waitMs, counter.left(now))
  }
}

function admission(rate: Rate, what: string, waitMs: number, left: { units: number; nextMs: number }): Admission {
  const perSecond = rate.perMinute / 60
  const policy = `"user";q=${perSecond};w=1;gatehouse-burst=${rate.capacity}`
  const state = { name: 'user' as const, ...left }
  if (waitMs === 0) return limitHeaders(policy, [state]).headers
  const { seconds, headers } = limitHeaders(policy, [state], { limit: 'user', waitMs })
  const limit = `${perSecond} ${what} per second (burst ${rate.capacity}) for one user`
  return new Refusal('RATE_LIMITED', {
    message: `The gateway's limit of ${limit} is reached. Try again in ${seconds} s.`,
    headers,
  })
}
