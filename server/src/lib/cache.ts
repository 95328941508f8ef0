import { elapsed } from './clock.ts'
import { within } from './deadline.ts'

export interface CacheOptions {
  readonly maxAgeMs?: number | undefined
  readonly maxEntries?: number
  /** Longest time of a load; undefined: as long as it takes. */
  readonly loadMs?: number | undefined
}

interface Entry<V> {
  readonly value: Promise<V>
  readonly loadedAt: number
}

/**
 * Remembers what `load` answered for at most `maxAgeMs`, at most `maxEntries` of them; callers at the same time share one
 * load. A failed load is not remembered, nor one that takes longer than `loadMs`. Code that changes the source calls `forget`; the
 * age is only the fallback.
 */
export class Cache<V> {
  readonly #load: (key: string) => Promise<V>
  readonly #maxAgeMs: number
  readonly #maxEntries: number
  readonly #loadMs: number | undefined
  readonly #entries = new Map<string, Entry<V>>()

  constructor(load: (key: string) => Promise<V>, { maxAgeMs = 750, maxEntries = 10_000, loadMs }: CacheOptions = {}) {
    this.#load = load
    this.#maxAgeMs = maxAgeMs
    this.#maxEntries = maxEntries
    this.#loadMs = loadMs
  }

  get(key: string): Promise<V> {
    const known = this.#entries.get(key)
    if (known && elapsed() - known.loadedAt < this.#maxAgeMs) return known.value
    const work = this.#load(key)
    const value = this.#loadMs === undefined ? work : within(this.#loadMs, work, 'not looked up')
    const entry = { value, loadedAt: elapsed() }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    })
    if (this.#entries.size > this.#maxEntries) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    return entry.value
  }

  /** Without a key: everything. */
  forget(key?: string): void {
    if (key === undefined) this.#entries.clear()
    else this.#entries.delete(key)
  }
}
