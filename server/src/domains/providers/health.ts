import { hash } from 'node:crypto'
import { elapsed } from '../../platform/lib/clock.ts'
import type { Provider } from './provider.ts'

/**
 * The effect of an attempt on the provider's health:
 * - `alive`: it responded, if only with an error about the request (4xx).
 * - `limited`: it serves no requests for a while: it is overloaded (429), or it rejects the key.
 * - `failed`: 5xx, no connection, a timeout, no valid response.
 * - `unknown`: the client disconnected, earlier attempts used the time, the response was too large, the address is not allowed.
 */
export type HealthSignal = 'alive' | 'limited' | 'failed' | 'unknown'

export type Permit = 'regular' | 'probe'
export type NoPermit = 'open' | 'busy'

export interface LastError {
  /** The attempt's outcome in the audit record: `key_rejected`, `timeout`, `status` … */
  readonly kind: string
  readonly at: Date
  /** Only an operator can resolve the failure (key, account, models), and no attempt has succeeded since. */
  readonly fault: boolean
}

type Circuit = 'closed' | 'open' | 'half_open'
/** `used`: whether a request was sent to the provider since the start. */
type ProviderStatus = Readonly<{ circuit: Circuit; active: number; lastError: LastError | undefined; used: boolean }>

/** Requests and probes in flight, and times in monotonic milliseconds. */
interface State {
  active: number
  consecutiveFailures: number
  /** Undefined: the breaker is closed. After this time probes may pass. */
  openUntil: number | undefined
  /** Since when the breaker has not been closed. */
  openSince: number | undefined
  probes: number
  /** Start of the time in which no probe failed. */
  probingSince: number
  limitedUntil: number
  lastError: LastError | undefined
}

const DEFAULTS = {
  /** Failures in a row that open the breaker. */
  threshold: 5,
  openMs: 2_000,
  /** The number of probes doubles each time this passes without a failed probe. */
  probeMs: 1_000,
  maxLimitedMs: 30_000,
  /** A breaker that stays open for this time needs an operator. */
  downMs: 60_000,
  /** Processes of the node, which share the places of a provider equally. Each has one at least. */
  processes: 1,
  now: elapsed,
}

const FIRST_PROBES = 4
const MAX_DOUBLINGS = 20

/**
 * A circuit breaker and a concurrency limit for each provider of this process (decision 0006, "Breaker").
 * Closed: all requests pass. Open: no request passes for `openMs`. Half-open, after that: four probes, and twice as many after each
 * `probeMs` without a failed probe, up to half of the provider's places. A success of any request closes the breaker; a failed probe
 * opens it again. A slow but healthy provider therefore serves most requests long before its first response.
 */
export class Health {
  readonly #options: Readonly<typeof DEFAULTS>
  readonly #states = new Map<string, State>()

  constructor(options: Partial<typeof DEFAULTS> = {}) {
    this.#options = { ...DEFAULTS, ...options }
  }

  /** Rank of the provider among candidates, best first: 0 healthy, 1 limited, 2 broken or without free places. */
  rank(provider: Provider): 0 | 1 | 2 {
    const state = this.#states.get(keyOf(provider))
    if (!state) return 0
    if (state.openUntil !== undefined || state.active >= this.#placesOf(provider)) return 2
    return state.limitedUntil > this.#options.now() ? 1 : 0
  }

  /** Whether the breaker has stayed open for so long that the provider will hardly recover by itself. */
  isDown(provider: Provider): boolean {
    const since = this.#states.get(keyOf(provider))?.openSince
    return since !== undefined && this.#options.now() - since >= this.#options.downMs
  }

  /** Undefined while the breaker is closed (monotonic milliseconds). */
  probeDue(provider: Provider): number | undefined {
    return this.#states.get(keyOf(provider))?.openUntil
  }

  retryAfterMs(provider: Provider): number {
    const due = this.probeDue(provider)
    return due === undefined ? 0 : Math.max(this.#options.probeMs, due - this.#options.now())
  }

  /** Takes a place until `release`. `probeEarly` lets one probe pass before the open time is over, for requests without another provider. */
  acquire(provider: Provider, probeEarly = false): Permit | NoPermit {
    const state = this.#stateOf(provider)
    if (state.active >= this.#placesOf(provider)) return 'busy'
    if (state.openUntil === undefined) {
      state.active++
      return 'regular'
    }
    if (state.probes >= this.#maxProbes(state, provider, probeEarly)) return 'open'
    if (state.probes === 0) state.probingSince = this.#options.now()
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
      const opens = state.openUntil === undefined ? state.consecutiveFailures >= this.#options.threshold : permit === 'probe'
      if (!opens) return
      state.openSince ??= this.#options.now()
      state.openUntil = this.#options.now() + this.#options.openMs
      state.probingSince = state.openUntil
      return
    }
    state.consecutiveFailures = 0
    state.openUntil = undefined
    state.openSince = undefined
    if (signal === 'limited') state.limitedUntil = this.#options.now() + Math.min(limitedMs || 1_000, this.#options.maxLimitedMs)
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

  status(provider: Provider): ProviderStatus {
    const state = this.#states.get(keyOf(provider))
    if (!state) return { circuit: 'closed', active: 0, lastError: undefined, used: false }
    const { openUntil, active, lastError } = state
    const circuit = openUntil === undefined ? 'closed' : this.#options.now() < openUntil ? 'open' : 'half_open'
    return { circuit, active, lastError, used: true }
  }

  #maxProbes({ openUntil = 0, probes, probingSince }: State, provider: Provider, probeEarly: boolean): number {
    const now = this.#options.now()
    if (now < openUntil) return probeEarly ? 1 : 0
    const doublings = probes === 0 ? 0 : Math.floor(Math.max(0, now - probingSince) / this.#options.probeMs)
    return Math.max(1, Math.min(FIRST_PROBES * 2 ** Math.min(doublings, MAX_DOUBLINGS), Math.floor(this.#placesOf(provider) / 2)))
  }

  #placesOf({ maxConcurrency }: Provider): number {
    return Math.max(1, Math.floor(maxConcurrency / this.#options.processes))
  }

  #stateOf(provider: Provider): State {
    const key = keyOf(provider)
    const known = this.#states.get(key)
    if (known) return known
    const counts = { active: 0, consecutiveFailures: 0, probes: 0 }
    const state = {
      ...counts,
      openUntil: undefined,
      openSince: undefined,
      probingSince: 0,
      limitedUntil: 0,
      lastError: undefined,
    }
    this.#states.set(key, state)
    return state
  }
}

const keys = new WeakMap<Provider, string>()

/** Address and key belong to it: nothing is known about a provider with another key, and requests with the old one end in the old state. */
function keyOf(provider: Provider): string {
  const known = keys.get(provider)
  if (known !== undefined) return known
  const { workspaceId, id, baseUrl, region, apiKey } = provider
  const key = `${workspaceId}/${id} ${hash('sha256', JSON.stringify([baseUrl, region, apiKey]), 'base64')}`
  keys.set(provider, key)
  return key
}
