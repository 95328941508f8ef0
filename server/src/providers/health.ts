import { elapsed } from '../lib/clock.ts'
import type { Provider } from './provider.ts'

/** What an attempt says about the provider, whatever it says about the request. */
export type Verdict =
  /** It works: it answered, be it that this request is wrong (4xx). */
  | 'alive'
  /** It is there and overloaded (429). */
  | 'limited'
  /** It is broken: 5xx, no connection, no time, no valid answer. */
  | 'failed'
  /** Nothing: the caller went away, others had used up the time, the answer was too large, the address is not allowed. */
  | 'unknown'

export type Permit = 'call' | 'probe'
type Turned = 'open' | 'busy'

interface State {
  active: number
  /** Failures in a row. */
  failures: number
  /** Until when nobody asks; set while the breaker is open, also after its time: then a probe may pass. */
  openUntil: number | undefined
  probing: boolean
  /** Until when others are preferred: the provider limited somebody. */
  limitedUntil: number
}

interface HealthOptions {
  /** Failures in a row that open the breaker. */
  readonly threshold?: number
  /** How long an open breaker turns everybody away before it lets a probe pass. */
  readonly openMs?: number
  /** Longest time a limited provider stays behind others. */
  readonly maxLimitedMs?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

/**
 * Who can be asked right now: a circuit breaker and a concurrency cap for each provider of this node.
 * Closed: everybody passes. Open: nobody, for `openMs`. Half-open, after that: one probe at a time; its success, or that of any
 * call still under way, closes the breaker, its failure opens it again.
 */
export class Health {
  readonly #threshold: number
  readonly #openMs: number
  readonly #maxLimitedMs: number
  readonly #now: () => number
  readonly #states = new Map<string, State>()

  constructor({ threshold = 5, openMs = 2_000, maxLimitedMs = 30_000, now = elapsed }: HealthOptions = {}) {
    this.#threshold = threshold
    this.#openMs = openMs
    this.#maxLimitedMs = maxLimitedMs
    this.#now = now
  }

  /** For ordering, best first: 0 well, 1 limited of late, 2 broken or full. */
  rank(provider: Provider): 0 | 1 | 2 {
    const state = this.#states.get(keyOf(provider))
    if (!state) return 0
    if (state.openUntil !== undefined || state.active >= provider.maxConcurrency) return 2
    return state.limitedUntil > this.#now() ? 1 : 0
  }

  /** Since or from when a probe may pass, monotonic milliseconds; undefined while the breaker is closed. */
  probeDue(provider: Provider): number | undefined {
    return this.#states.get(keyOf(provider))?.openUntil
  }

  /**
   * A place for one call, to be given back by `release`, or why there is none. `insist` lets a probe pass although the breaker's
   * time is not over: for callers who have nobody else to ask, so that an open breaker cannot starve them for longer than needed.
   */
  acquire(provider: Provider, insist = false): Permit | Turned {
    const state = this.#state(provider)
    if (state.active >= provider.maxConcurrency) return 'busy'
    if (state.openUntil === undefined) {
      state.active++
      return 'call'
    }
    if (state.probing || (!insist && this.#now() < state.openUntil)) return 'open'
    state.probing = true
    state.active++
    return 'probe'
  }

  release(provider: Provider, permit: Permit, verdict: Verdict, retryAfterMs = 0): void {
    const state = this.#state(provider)
    state.active--
    if (permit === 'probe') state.probing = false
    if (verdict === 'unknown') return
    if (verdict === 'failed') {
      state.failures++
      // Calls that began before the breaker opened do not prolong its time; a probe does.
      const opens = state.openUntil === undefined ? state.failures >= this.#threshold : permit === 'probe'
      if (opens) state.openUntil = this.#now() + this.#openMs
      return
    }
    state.failures = 0
    state.openUntil = undefined
    if (verdict === 'limited') state.limitedUntil = this.#now() + Math.min(retryAfterMs || 1_000, this.#maxLimitedMs)
  }

  /** For operators: how a provider stands on this node. */
  status(provider: Provider): { readonly circuit: 'closed' | 'open' | 'half_open'; readonly active: number } {
    const state = this.#states.get(keyOf(provider))
    if (!state) return { circuit: 'closed', active: 0 }
    const open = state.openUntil !== undefined
    return { circuit: !open ? 'closed' : this.#now() < (state.openUntil ?? 0) ? 'open' : 'half_open', active: state.active }
  }

  #state(provider: Provider): State {
    const key = keyOf(provider)
    let state = this.#states.get(key)
    if (!state) {
      state = { active: 0, failures: 0, openUntil: undefined, probing: false, limitedUntil: 0 }
      this.#states.set(key, state)
    }
    return state
  }
}

const keyOf = ({ workspaceId, id }: Provider): string => `${workspaceId}/${id}`
