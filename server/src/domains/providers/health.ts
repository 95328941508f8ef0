import { elapsed } from '../../platform/lib/clock.ts'
import type { Provider } from './provider.ts'

/** The effect of an attempt on the provider's health. */
export type HealthSignal =
  /** The provider works: it responded, if only with an error about the request (4xx). */
  | 'alive'
  /** The provider is reachable but serves no requests for a while: it is overloaded (429), or it rejects the key. */
  | 'limited'
  /** The provider is broken: 5xx, no connection, a timeout, no valid response. */
  | 'failed'
  /** Nothing: the client disconnected, earlier attempts used the time, the response was too large, the address is not allowed. */
  | 'unknown'

/** The right to send one request to a provider. */
export type Permit = 'regular' | 'probe'
/** The breaker is open, or all places are taken. */
export type NoPermit = 'open' | 'busy'

/** The last failed attempt at a provider, for operators. */
export interface LastError {
  /** The attempt's outcome in the audit record: `key_rejected`, `timeout`, `status` … */
  readonly kind: string
  readonly at: Date
  /** Only an operator can resolve the failure (key, account, models), and no attempt has succeeded since. */
  readonly fault: boolean
}

/** Times are monotonic milliseconds. */
interface State {
  /** Requests in flight, probes included. */
  active: number
  consecutiveFailures: number
  /** Undefined: the breaker is closed. After this time probes may pass. */
  openUntil: number | undefined
  /** Probes in flight. */
  probes: number
  /** Start of the time in which no probe failed. */
  probingSince: number
  /** Until then the provider ranks behind others. */
  limitedUntil: number
  lastError: LastError | undefined
}

interface HealthOptions {
  /** Number of failures in a row that opens the breaker. */
  readonly threshold?: number
  /** How long an open breaker lets no request pass. */
  readonly openMs?: number
  /** The number of probes doubles each time this passes without a failed probe. */
  readonly probeMs?: number
  /** Longest time that a limited provider ranks behind others. */
  readonly maxLimitedMs?: number
  /** Processes of the node, which share the places of a provider equally. Each has one at least. */
  readonly processes?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

/** Probes that a half-open breaker lets pass at first. */
const FIRST_PROBES = 4
/** Bound of the exponent, so that the number of probes stays finite. */
const MAX_DOUBLINGS = 20

/**
 * A circuit breaker and a concurrency limit for each provider of this process (decision 0006, "Breaker").
 * Closed: all requests pass. Open: no request passes for `openMs`. Half-open, after that: four probes, and twice as many after each
 * `probeMs` without a failed probe, up to half of the provider's places. A success of any request closes the breaker; a failed probe
 * opens it again. A slow but healthy provider therefore serves most requests long before its first response.
 */
export class Health {
  readonly #threshold: number
  readonly #openMs: number
  readonly #probeMs: number
  readonly #maxLimitedMs: number
  readonly #processes: number
  readonly #now: () => number
  readonly #states = new Map<string, State>()

  constructor({
    threshold = 5,
    openMs = 2_000,
    probeMs = 1_000,
    maxLimitedMs = 30_000,
    processes = 1,
    now = elapsed,
  }: HealthOptions = {}) {
    this.#threshold = threshold
    this.#openMs = openMs
    this.#probeMs = probeMs
    this.#maxLimitedMs = maxLimitedMs
    this.#processes = processes
    this.#now = now
  }

  /** Rank of the provider among candidates, best first: 0 healthy, 1 limited, 2 broken or without free places. */
  rank(provider: Provider): 0 | 1 | 2 {
    const state = this.#states.get(keyOf(provider))
    if (!state) return 0
    if (state.openUntil !== undefined || state.active >= this.#placesOf(provider)) return 2
    return state.limitedUntil > this.#now() ? 1 : 0
  }

  /** Time from which probes may pass, monotonic milliseconds; undefined while the breaker is closed. */
  probeDue(provider: Provider): number | undefined {
    return this.#states.get(keyOf(provider))?.openUntil
  }

  /** Milliseconds until another request may pass; 0 while the breaker is closed. */
  retryAfterMs(provider: Provider): number {
    const due = this.probeDue(provider)
    return due === undefined ? 0 : Math.max(this.#probeMs, due - this.#now())
  }

  /**
   * Takes a place for one request. Return it with `release`. `probeEarly` lets one probe pass before the open time is over: for
   * requests without another provider, so that an open breaker does not block them longer than necessary.
   */
  acquire(provider: Provider, probeEarly = false): Permit | NoPermit {
    const state = this.#stateOf(provider)
    if (state.active >= this.#placesOf(provider)) return 'busy'
    if (state.openUntil === undefined) {
      state.active++
      return 'regular'
    }
    if (state.probes >= this.#maxProbes(state, provider, probeEarly)) return 'open'
    if (state.probes === 0) state.probingSince = this.#now()
    state.probes++
    state.active++
    return 'probe'
  }

  /** `limitedMs`: how long a limited provider ranks behind others; default 1 s. */
  release(provider: Provider, permit: Permit, signal: HealthSignal, limitedMs = 0): void {
    const state = this.#stateOf(provider)
    state.active--
    if (permit === 'probe') state.probes--
    if (signal === 'unknown') return
    if (signal === 'failed') {
      state.consecutiveFailures++
      // Requests that began before the breaker opened do not extend its open time. A failed probe does.
      const opens = state.openUntil === undefined ? state.consecutiveFailures >= this.#threshold : permit === 'probe'
      if (!opens) return
      state.openUntil = this.#now() + this.#openMs
      state.probingSince = state.openUntil
      return
    }
    state.consecutiveFailures = 0
    state.openUntil = undefined
    if (signal === 'limited') state.limitedUntil = this.#now() + Math.min(limitedMs || 1_000, this.#maxLimitedMs)
  }

  /** Returns true if the error is a fault of another kind than the last error, or the last fault was cleared. */
  setLastError(provider: Provider, error: LastError): boolean {
    const state = this.#stateOf(provider)
    const { lastError } = state
    state.lastError = error
    const isKnown = lastError?.fault === true && lastError.kind === error.kind
    return error.fault && !isKnown
  }

  /** Call it after a success: the last error stays visible but is no longer a fault. */
  clearFault(provider: Provider): void {
    const state = this.#stateOf(provider)
    if (state.lastError?.fault) state.lastError = { ...state.lastError, fault: false }
  }

  /** The provider's state on this node, for operators. */
  status(provider: Provider): {
    readonly circuit: 'closed' | 'open' | 'half_open'
    readonly active: number
    readonly lastError: LastError | undefined
    /** Whether a request was sent to it since the start. */
    readonly used: boolean
  } {
    const state = this.#states.get(keyOf(provider))
    if (!state) return { circuit: 'closed', active: 0, lastError: undefined, used: false }
    const { openUntil, active, lastError } = state
    const circuit = openUntil === undefined ? 'closed' : this.#now() < openUntil ? 'open' : 'half_open'
    return { circuit, active, lastError, used: true }
  }

  #maxProbes({ openUntil = 0, probes, probingSince }: State, provider: Provider, probeEarly: boolean): number {
    const now = this.#now()
    if (now < openUntil) return probeEarly ? 1 : 0
    const doublings = probes === 0 ? 0 : Math.floor(Math.max(0, now - probingSince) / this.#probeMs)
    return Math.max(1, Math.min(FIRST_PROBES * 2 ** Math.min(doublings, MAX_DOUBLINGS), Math.floor(this.#placesOf(provider) / 2)))
  }

  #placesOf({ maxConcurrency }: Provider): number {
    return Math.max(1, Math.floor(maxConcurrency / this.#processes))
  }

  #stateOf(provider: Provider): State {
    const key = keyOf(provider)
    let state = this.#states.get(key)
    if (!state) {
      state = {
        active: 0,
        consecutiveFailures: 0,
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
