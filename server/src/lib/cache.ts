import type { CacheStatistics } from './cache-statistics.ts'
import { elapsed } from './clock.ts'
import { withDeadline } from './deadline.ts'

export interface CacheOptions {
  readonly maxAgeMs?: number | undefined
  /** Above it, the value that was loaded first is dropped. */
  readonly maxEntries?: number
  /** Longest time of a load; undefined: no limit. */
  readonly loadMs?: number | undefined
}

interface Entry<V> {
  readonly value: Promise<V>
  /** Monotonic milliseconds. */
  readonly until: number
}

/**
 * Keeps the values that `load` returned for at most `maxAgeMs` from the start of the load. Callers at the same time share one load.
 * A load that fails or takes longer than `loadMs` is not kept. Code that changes the source calls `forget`; the age is the fallback.
 */
export class Cache<V> {
  readonly #load: (key: string) => Promise<V>
  readonly #loadMs: number | undefined
  readonly #maxAgeMs: number
  readonly #maxEntries: number
  /** In the order of their loads. */
  readonly #entries = new Map<string, Entry<V>>()
  #hits = 0
  #misses = 0

  constructor(load: (key: string) => Promise<V>, { maxAgeMs = 750, maxEntries = 10_000, loadMs }: CacheOptions = {}) {
    this.#load = load
    this.#loadMs = loadMs
    this.#maxAgeMs = maxAgeMs
    this.#maxEntries = maxEntries
  }

  get(key: string): Promise<V> {
    const now = elapsed()
    const known = this.#entries.get(key)
    if (known && now < known.until) {
      this.#hits++
      return known.value
    }
    this.#misses++
    const work = this.#load(key)
    const value = this.#loadMs === undefined ? work : withDeadline(this.#loadMs, work, 'the value was not loaded')
    this.#keep(key, { value, until: now + this.#maxAgeMs })
    return value
  }

  #keep(key: string, entry: Entry<V>): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    const [oldest] = this.#entries.size > this.#maxEntries ? this.#entries.keys() : []
    if (oldest !== undefined) this.#entries.delete(oldest)
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    })
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
