import { LRUCache } from 'lru-cache'
import { withDeadline } from './deadline.ts'

/** How often a cache had the value, since the start of the process, and how many entries it has now. */
export interface CacheStatistics {
  readonly hits: number
  readonly misses: number
  readonly size: number
}

interface CacheOptions {
  readonly maxAgeMs?: number | undefined
  /** The cache reserves memory for all entries at once, about 40 bytes each. */
  readonly maxEntries?: number
  /** Longest time of a load; undefined: no limit. */
  readonly loadMs?: number | undefined
}

/**
 * Keeps the values that `load` returned for at most `maxAgeMs` from the start of the load. Callers at the same time share one load.
 * A load that fails or takes longer than `loadMs` is not kept. Code that changes the source calls `forget`; the age is the fallback.
 */
export class Cache<V> {
  readonly #load: (key: string) => Promise<V>
  readonly #loadMs: number | undefined
  readonly #entries: LRUCache<string, Promise<V>>
  #hits = 0
  #misses = 0

  constructor(load: (key: string) => Promise<V>, { maxAgeMs = 750, maxEntries = 10_000, loadMs }: CacheOptions = {}) {
    this.#load = load
    this.#loadMs = loadMs
    // With another resolution the library's clock stops while the event loop is busy, and values are kept too long.
    this.#entries = new LRUCache({ max: maxEntries, ttl: maxAgeMs, ttlResolution: 0 })
  }

  get(key: string): Promise<V> {
    const known = this.#entries.get(key)
    if (known) {
      this.#hits++
      return known
    }
    this.#misses++
    const work = this.#load(key)
    const value = this.#loadMs === undefined ? work : withDeadline(this.#loadMs, work, 'the value was not loaded')
    this.#entries.set(key, value)
    value.catch(() => {
      if (this.#entries.peek(key) === value) this.#entries.delete(key)
    })
    return value
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
