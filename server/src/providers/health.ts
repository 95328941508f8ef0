import { elapsed } from '../lib/clock.ts'
import type { Provider } from './provider.ts'

/** What an attempt says about the provider, whatever it says about the request. */
export type HealthSignal =
  /** It works: it answered, be it that this request is wrong (4xx). */
  | 'alive'
  /** It is there and serves nobody for a while: overloaded (429), or it rejects our key. */
  | 'limited'
  /** It is broken: 5xx, no connection, no time, no valid answer. */
  | 'failed'
  /** Nothing: the caller went away, others had used up the time, the answer was too large, the address is not allowed. */
  | 'unknown'

export type Permit = 'call' | 'probe'
type Turned = 'open' | 'busy'

/** Why the last attempt that did not succeed failed, for operators. */
export interface LastError {
  /** As the attempt's outcome in the audit record: `key_rejected`, `timeout`, `status` … */
  readonly kind: string
  readonly at: Date
  /** Only an operator can end it, and it has not ended: the key, the account, a model that the provider does not have. */
  readonly fault: boolean
}

interface State {
  active: number
  /** Failures in a row. */
  failures: number
  /** Until when nobody asks; set while the breaker is open, also after its time: then probes may pass. */
  openUntil: number | undefined
  /** Probes under way, and since when the breaker has let them pass without one of them failing. */
  probes: number
  probingSince: number
  /** Until when others are preferred: the provider limited somebody. */
  limitedUntil: number
  lastError: LastError | undefined
}

interface HealthOptions {
  /** Failures in a row that open the breaker. */
  readonly threshold?: number
  /** How long an open breaker turns everybody away before it lets probes pass. */
  readonly openMs?: number
  /** How long a probe keeps its place from others: one that has not failed by then lets twice as many pass. */
  readonly probeMs?: number
  /** Longest time a limited provider stays behind others. */
  readonly maxLimitedMs?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

/** Probes that a half-open breaker lets pass at once, to begin with. */
const FIRST_PROBES = 4

/**
 * Who can be asked right now: a circuit breaker and a concurrency cap for each provider of this node.
 * Closed: everybody passes. Open: nobody, for `openMs`. Half-open, after that: a share of the callers, four to begin with and twice
 * as many after each `probeMs` in which no probe failed, up to half of the provider's places. So a provider that is slow and well
 * serves nearly everybody long before its first answer. The first success, of a probe or of any call still under way, closes the
 * breaker; a probe's failure opens it again.
 */
export class Health {
  readonly #threshold: number
  readonly #openMs: number
  readonly #probeMs: number
  readonly #maxLimitedMs: number
  readonly #now: () => number
  readonly #states = new Map<string, State>()

  constructor({ threshold = 5, openMs = 2_000, probeMs = 1_000, maxLimitedMs = 30_000, now = elapsed }: HealthOptions = {}) {
    this.#threshold = threshold
    this.#openMs = openMs
    this.#probeMs = probeMs
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

  /** Milliseconds after which it makes sense to ask again; 0 while the breaker is closed. */
  retryAfterMs(provider: Provider): number {
    const due = this.probeDue(provider)
    return due === undefined ? 0 : Math.max(this.#probeMs, due - this.#now())
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
    if (state.probes >= this.#probesAllowed(state, provider, insist)) return 'open'
    if (state.probes === 0) state.probingSince = this.#now()
    state.probes++
    state.active++
    return 'probe'
  }

  release(provider: Provider, permit: Permit, verdict: HealthSignal, retryAfterMs = 0): void {
    const state = this.#state(provider)
    state.active--
    if (permit === 'probe') state.probes--
    if (verdict === 'unknown') return
    if (verdict === 'failed') {
      state.failures++
      // Calls that began before the breaker opened do not prolong its time; a probe does.
      const opens = state.openUntil === undefined ? state.failures >= this.#threshold : permit === 'probe'
      if (!opens) return
      state.openUntil = this.#now() + this.#openMs
      state.probingSince = state.openUntil
      return
    }
    state.failures = 0
    state.openUntil = undefined
    if (verdict === 'limited') state.limitedUntil = this.#now() + Math.min(retryAfterMs || 1_000, this.#maxLimitedMs)
  }

  /** Notes how an attempt ended, for operators. True when `error` is a fault that was not known yet: somebody should be told. */
  note(provider: Provider, error: LastError | undefined): boolean {
    const state = this.#state(provider)
    if (!error) {
      if (state.lastError?.fault) state.lastError = { ...state.lastError, fault: false }
      return false
    }
    const { lastError } = state
    state.lastError = error
    const told = lastError?.fault === true && lastError.kind === error.kind
    return error.fault && !told
  }

  /** For operators: how a provider stands on this node. */
  status(provider: Provider): {
    readonly circuit: 'closed' | 'open' | 'half_open'
    readonly active: number
    readonly lastError: LastError | undefined
  } {
    const state = this.#states.get(keyOf(provider))
    if (!state) return { circuit: 'closed', active: 0, lastError: undefined }
    const { openUntil, active, lastError } = state
    const circuit = openUntil === undefined ? 'closed' : this.#now() < openUntil ? 'open' : 'half_open'
    return { circuit, active, lastError }
  }

  /** Before its time one caller may insist; after it a share that doubles, for as long as no probe fails. */
  #probesAllowed({ openUntil = 0, probes, probingSince }: State, { maxConcurrency }: Provider, insist: boolean): number {
    const now = this.#now()
    if (now < openUntil) return insist ? 1 : 0
    const rounds = probes === 0 ? 0 : Math.floor(Math.max(0, now - probingSince) / this.#probeMs)
    return Math.max(1, Math.min(FIRST_PROBES * 2 ** Math.min(rounds, 20), Math.floor(maxConcurrency / 2)))
  }

  #state(provider: Provider): State {
    const key = keyOf(provider)
    let state = this.#states.get(key)
    if (!state) {
      state = {
        active: 0,
        failures: 0,
        openUntil: undefined,
        probes: 0,
        probingSince: 0,
        limitedUntil: 0,
        lastError: undefined,
      }
      this.#states.set(key, state)
    }
    return state
  }
}

const keyOf = ({ workspaceId, id }: Provider): string => `${workspaceId}/${id}`
