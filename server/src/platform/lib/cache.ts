import { LRUCache } from 'lru-cache'
import { elapsed } from './clock.ts'
import { withDeadline } from './deadline.ts'

/** How often a cache had the value, since the start of the process, and how many entries it has now. */
export interface CacheStatistics {
  readonly hits: number
  readonly misses: number
  readonly size: number
}

interface CacheOptions {
  readonly maxAgeMs?: number | undefined
  /** The cache reserves memory for all entries at once, about 20 bytes each. */
  readonly maxEntries?: number
  /** Longest time of a load; undefined: no limit. */
  readonly loadMs?: number | undefined
  /** Whether values in use are loaded again before they are too old. For loads that only read. */
  readonly renews?: boolean
  readonly clock?: () => number
}

/** From this share of its age on, a value that is asked for is loaded again in the background: no request waits while it is in use. */
export const RENEWAL_SHARE = 2 / 3

interface Entry<V> {
  readonly value: Promise<V>
  readonly startedAt: number
  /** False during its load and once it was loaded again. */
  mayRenew: boolean
  /** The load that will replace it. */
  renewal?: Entry<V> | undefined
}

/**
 * Keeps the values that `load` returned for at most `maxAgeMs` from the start of the load. Callers at the same time share one load.
 * A load that fails or takes longer than `loadMs` is not kept. Code that changes the source calls `forget`; the age is the fallback.
 */
export class Cache<V> {
  readonly #load: (key: string) => Promise<V>
  readonly #options: { readonly maxAgeMs: number; readonly loadMs: number | undefined; readonly clock: () => number }
  readonly #renews: boolean
  readonly #entries: LRUCache<string, Entry<V>>
  #hits = 0
  #misses = 0

  constructor(
    load: (key: string) => Promise<V>,
    { maxAgeMs = 750, maxEntries = 10_000, loadMs, renews = false, clock = elapsed }: CacheOptions = {},
  ) {
    this.#load = load
    this.#renews = renews
    this.#options = { maxAgeMs, loadMs, clock }
    this.#entries = new LRUCache({ max: maxEntries })
  }

  get(key: string): Promise<V> {
    const { maxAgeMs, clock } = this.#options
    const now = clock()
    const known = this.#entries.get(key)
    if (known && now - known.startedAt < maxAgeMs) {
      this.#hits++
      if (known.mayRenew && now - known.startedAt >= maxAgeMs * RENEWAL_SHARE) this.#renew(key, known)
      return known.value
    }
    this.#misses++
    const renewal = known?.renewal
    const entry = renewal && now - renewal.startedAt < maxAgeMs ? renewal : this.#start(key)
    this.#entries.set(key, entry)
    entry.value.catch(() => {
      if (this.#entries.peek(key) === entry) this.#entries.delete(key)
    })
    return entry.value
  }

  #start(key: string): Entry<V> {
    const { loadMs, clock } = this.#options
    const startedAt = clock()
    const work = this.#load(key)
    const value = loadMs === undefined ? work : withDeadline(loadMs, work, 'the value was not loaded')
    const entry: Entry<V> = { value, startedAt, mayRenew: false }
    const allowRenewal = (): void => {
      entry.mayRenew = true
    }
    if (this.#renews) value.then(allowRenewal, () => {})
    return entry
  }

  /** After a failure, the value is loaded again when it is too old. */
  #renew(key: string, known: Entry<V>): void {
    known.mayRenew = false
    const entry = this.#start(key)
    known.renewal = entry
    const replace = (): void => {
      // Otherwise it was forgotten meanwhile.
      if (this.#entries.peek(key) === known) this.#entries.set(key, entry)
    }
    const keep = (): void => {
      known.renewal = undefined
    }
    entry.value.then(replace, keep)
  }

  get statistics(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, size: this.#entries.size }
  }

  /** Without a key: everything. */
  forget(key?: string): void {
    if (key === undefined) this.#entries.clear()
    else this.#entries.delete(key)
  }
}
