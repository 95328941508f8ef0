import type { RateLimits } from '../../shared/principal.ts'
import type { Counters, RateCounter } from './counters.ts'
import type { FullLimit, LimitName, LimitState } from './limit-headers.ts'

/** The use of an owner's limits of requests and tokens per minute, as far as this node knows it. */
export class RateUsage<Limits extends RateLimits = RateLimits> {
  requests: RateCounter | undefined
  tokens: RateCounter | undefined
  limits: Limits
  readonly owner: string
  readonly #id: string
  readonly #counters: Counters

  constructor(id: string, owner: string, limits: Limits, counters: Counters, now: number) {
    this.#id = id
    this.owner = owner
    this.#counters = counters
    this.limits = limits
    this.#adjustRates(now)
  }

  adjust(limits: Limits, now: number): void {
    this.limits = limits
    this.#adjustRates(now)
  }

  isIdle(now: number): boolean {
    return (this.requests?.isIdle(now) ?? true) && (this.tokens?.isIdle(now) ?? true)
  }

  /** The limits that a request of `cost` tokens has to wait for. */
  findFull(cost: number, now: number): FullLimit[] {
    const full: FullLimit[] = []
    const requestsMs = this.requests?.waitMs(1, now) ?? 0
    if (requestsMs > 0) full.push(this.full('requests', requestsMs))
    const tokensMs = this.tokens?.waitMs(cost, now) ?? 0
    if (tokensMs > 0) full.push(this.full('tokens', tokensMs))
    return full
  }

  /** Asks the other nodes for units of one limit. undefined: its wait is final, or there is no such limit. */
  ask(limit: LimitName, cost: number, now: number): Promise<void> | undefined {
    return limit === 'requests' ? this.requests?.ask(1, now) : this.tokens?.ask(cost, now)
  }

  /** The limits that a request can ask for. */
  get names(): readonly LimitName[] {
    return RATES
  }

  /** Remaining units of each limit. */
  rateStates(now: number): LimitState[] {
    const states: LimitState[] = []
    if (this.requests) states.push({ name: 'requests', ...this.requests.left(now) })
    if (this.tokens) states.push({ name: 'tokens', ...this.tokens.left(now) })
    return states
  }

  protected full(limit: LimitName, waitMs: number): FullLimit {
    return { limit, waitMs, limits: this.limits, owner: this.owner }
  }

  #adjustRates(now: number): void {
    const { requests_per_minute, burst, tokens_per_minute } = this.limits
    this.requests = this.#adjusted('requests', this.requests, requests_per_minute, burst, now)
    this.tokens = this.#adjusted('tokens', this.tokens, tokens_per_minute, tokens_per_minute ?? 0, now)
  }

  #adjusted(name: LimitName, known: RateCounter | undefined, perMinute: number | null, capacity: number, now: number) {
    if (perMinute === null) return undefined
    const rate = { perMinute, capacity }
    if (!known) return this.#counters.rate(`${this.#id} ${name}`, rate, now)
    known.adjust(rate, now)
    return known
  }
}

const RATES: readonly LimitName[] = ['requests', 'tokens']

/**
 * Asks the other nodes for what `findFull` lacks. undefined: a refusal is final. The other limits are asked too, because their units could
 * be taken by other requests until the answer is there.
 */
export function askNodes(usages: readonly RateUsage<RateLimits>[], cost: number, now: number): Promise<unknown> | undefined {
  const lacking = usages.flatMap((usage) => usage.findFull(cost, now).map(({ limit }) => ({ usage, limit })))
  const answers = lacking.map(({ usage, limit }) => usage.ask(limit, cost, now))
  if (answers.includes(undefined)) return undefined
  const others = usages.flatMap((usage) =>
    usage.names.flatMap((limit) =>
      lacking.some((one) => one.usage === usage && one.limit === limit) ? [] : [usage.ask(limit, cost, now)],
    ),
  )
  return Promise.all([...answers, ...others])
}

/** The limit with the longest wait for a request of `cost` tokens; undefined: the request can be admitted now. */
export function findLongestWait(usages: readonly RateUsage<RateLimits>[], cost: number, now: number): FullLimit | undefined {
  let longest: FullLimit | undefined
  for (const usage of usages)
    for (const full of usage.findFull(cost, now)) if (!longest || full.waitMs > longest.waitMs) longest = full
  return longest
}
