import { elapsed } from '../../platform/lib/clock.ts'
import type { Provider } from './provider.ts'

export interface ProviderLimits {
  readonly totalMs: number
  /** Default time without a byte of a body or an event of a stream; a provider's setting replaces it. */
  readonly idleMs: number
}

const DEFAULT_LIMITS: ProviderLimits = { totalMs: 3_600_000, idleMs: 60_000 }

/** All attempts together take at most this many times the longest timeout among the providers. */
const BUDGET_FACTOR = 2
/** A provider gets no request if less than this share of its patience is left. */
const USEFUL_SHARE = 0.1
/** Share of its patience after which a timeout counts against the provider. */
const FULL_SHARE = 0.9

/** The time for all attempts of one request (decision 0006, "Failures"). Times are milliseconds of the monotonic clock. */
export class TimeBudget {
  readonly deadline: number
  readonly #idleMs: number

  constructor(providers: readonly Provider[], { totalMs, idleMs }: ProviderLimits = DEFAULT_LIMITS) {
    const longest = Math.max(0, ...providers.map(({ timeoutMs }) => timeoutMs))
    this.deadline = elapsed() + Math.min(totalMs, BUDGET_FACTOR * longest)
    this.#idleMs = idleMs
  }

  get leftMs(): number {
    return this.deadline - elapsed()
  }

  patienceMs({ idleTimeoutMs, timeoutMs }: Provider): number {
    return Math.min(idleTimeoutMs ?? this.#idleMs, timeoutMs)
  }

  isEnough(provider: Provider, ms = this.leftMs): boolean {
    return ms >= this.patienceMs(provider) * USEFUL_SHARE
  }

  /** Limits of an attempt that starts now. `isFull`: a timeout is the provider's failure, not a result of earlier attempts. */
  attemptLimits(provider: Provider): { readonly timeoutMs: number; readonly idleMs: number; readonly isFull: boolean } {
    const idleMs = this.patienceMs(provider)
    const timeoutMs = Math.max(1, Math.min(provider.timeoutMs, this.leftMs))
    return { timeoutMs, idleMs, isFull: timeoutMs >= idleMs * FULL_SHARE }
  }
}
