import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { type CacheStatistics, RENEWAL_SHARE } from './cache.ts'
import { elapsed } from './clock.ts'
import { DeadlineError, withDeadline } from './deadline.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** A revocation reaches every node within this time, even without a signal (GW-AUTH-3). */
const MAX_AGE_MS = 750
/** The remaining time from which on a credential in use is looked up again in the background. */
const RENEWAL_MS = MAX_AGE_MS * (1 - RENEWAL_SHARE)
const MAX_UNKNOWN_LOOK_UPS = 4
/** Longest time of a look-up, waiting included. After it, the credential can be neither accepted nor refused. */
export const LOOK_UP_MS = 3_000

export interface CredentialCacheOptions {
  readonly clock?: () => number
  readonly maxKnown?: number
  readonly maxUnknown?: number
  readonly lookUpMs?: number
}

/**
 * Caches the owners of credentials by hash. Unlike platform/lib/cache.ts it resists invented keys (decision 0009): they have their own cache, so
 * they cannot displace valid keys, and their own queue, so valid keys never wait behind them. Failed look-ups are not cached.
 */
export class CredentialCache<A> {
  readonly #load: (hash: string) => Promise<A | undefined>
  readonly #clock: () => number
  readonly #lookUpMs: number
  readonly #known: LRUCache<string, { readonly value: A; readonly until: number; readonly generation: number; mayRenew: boolean }>
  readonly #unknown: LRUCache<string, true>
  readonly #pending = new Map<string, Promise<A | undefined>>()
  readonly #limitUnknown = pLimit(MAX_UNKNOWN_LOOK_UPS)
  #generation = 0
  #hits = 0
  #misses = 0

  constructor(
    load: (hash: string) => Promise<A | undefined>,
    { clock = elapsed, maxKnown = 10_000, maxUnknown = 1_000, lookUpMs = LOOK_UP_MS }: CredentialCacheOptions = {},
  ) {
    this.#load = load
    this.#clock = clock
    this.#lookUpMs = lookUpMs
    // Entries do not expire: an old entry is looked up again without waiting in the queue of unknown credentials.
    this.#known = new LRUCache({ max: maxKnown })
    this.#unknown = new LRUCache({ max: maxUnknown, ttl: MAX_AGE_MS, ttlResolution: 0, perf: { now: clock } })
  }

  /** Undefined if the credential does not exist. A promise only if it is looked up, which rejects if the look-up fails or times out. */
  get(hash: string): MaybePromise<A | undefined> {
    const known = this.#known.get(hash)
    const leftMs = known?.generation === this.#generation ? known.until - this.#clock() : 0
    if (known && leftMs > 0) {
      this.#hits++
      if (leftMs <= RENEWAL_MS && known.mayRenew) {
        known.mayRenew = false
        this.#share(hash, this.#lookUp(hash)).catch(() => {})
      }
      return known.value
    }
    if (this.#unknown.get(hash)) {
      this.#hits++
      return undefined
    }
    this.#misses++
    const pending = this.#pending.get(hash)
    if (pending) return pending
    const until = elapsed() + this.#lookUpMs
    return this.#share(hash, known ? this.#lookUp(hash) : this.#limitUnknown(() => this.#lookUpUntil(until, hash)))
  }

  /** Until it ends, other callers get the same look-up. */
  #share(hash: string, work: Promise<A | undefined>): Promise<A | undefined> {
    const lookup = withDeadline(this.#lookUpMs, work, 'the credential was not looked up').finally(() => {
      if (this.#pending.get(hash) === lookup) this.#pending.delete(hash)
    })
    this.#pending.set(hash, lookup)
    return lookup
  }

  get statistics(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, size: this.#known.size + this.#unknown.size }
  }

  /** Makes every credential be looked up again. Known credentials stay known, so they do not wait in the queue of unknown ones. */
  forget(): void {
    this.#generation += 1
    this.#unknown.clear()
    this.#pending.clear()
  }

  async #lookUp(hash: string): Promise<A | undefined> {
    const generation = this.#generation
    const start = this.#clock()
    const value = await this.#load(hash)
    if (generation !== this.#generation) return value
    if (value === undefined) {
      this.#known.delete(hash)
      this.#unknown.set(hash, true, { start })
    } else {
      this.#known.set(hash, { value, until: start + MAX_AGE_MS, generation, mayRenew: true })
    }
    return value
  }

  async #lookUpUntil(until: number, hash: string): Promise<A | undefined> {
    // The caller has timed out. Its time in the queue goes to the next look-up.
    if (elapsed() >= until) throw new DeadlineError('the credential was not looked up in time')
    return this.#lookUp(hash)
  }
}
