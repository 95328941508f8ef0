import { LRUCache } from 'lru-cache'
import { elapsed } from './clock.ts'
import { withDeadline } from './deadline.ts'
import type { MaybePromise } from './maybe-promise.ts'

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
  readonly loading: Promise<V>
  readonly startedAt: number
  state: 'loading' | 'loaded' | 'failed'
  /** Set as soon as it is loaded. */
  value?: V
  /** The load in the background, which takes its place. */
  next?: Entry<V>
}

/**
 * Keeps the values that `load` returned for at most `maxAgeMs` from the start of the load. Callers at the same time share one load.
 * A load that fails or takes longer than `loadMs` is not kept. Code that changes the source calls `forget`; the age is the fallback.
 */
export class Cache<V> {
  readonly #load: (key: string) => Promise<V>
  readonly #options: Required<Pick<CacheOptions, 'clock'>> & { readonly maxAgeMs: number; readonly renewAfterMs: number }
  readonly #entries: LRUCache<string, Entry<V>>
  #hits = 0
  #misses = 0

  constructor(
    load: (key: string) => Promise<V>,
    { maxAgeMs = 750, maxEntries = 10_000, loadMs, renews = false, clock = elapsed }: CacheOptions = {},
  ) {
    this.#load = loadMs === undefined ? load : (key) => withDeadline(loadMs, load(key), 'the value was not loaded')
    this.#options = { maxAgeMs, renewAfterMs: renews ? maxAgeMs * RENEWAL_SHARE : maxAgeMs, clock }
    this.#entries = new LRUCache({ max: maxEntries })
  }

  /** A promise only while the value is loaded. */
  get(key: string): MaybePromise<V> {
    const { maxAgeMs, renewAfterMs, clock } = this.#options
    const now = clock()
    const isUsable = (entry: Entry<V> | undefined): entry is Entry<V> =>
      entry !== undefined && entry.state !== 'failed' && now - entry.startedAt < maxAgeMs
    const known = this.#entries.get(key)
    const found = isUsable(known) && known.next?.state !== 'loaded' ? known : known?.next
    const entry = isUsable(found) ? found : this.#start(key, now)
    if (entry === found) this.#hits++
    else this.#misses++
    if (entry.state === 'loaded' && now - entry.startedAt >= renewAfterMs) entry.next ??= this.#start(key, now)
    if (entry !== known) this.#entries.set(key, entry)
    return entry.state === 'loaded' ? (entry.value as V) : entry.loading
  }

  #start(key: string, startedAt: number): Entry<V> {
    const entry: Entry<V> = { loading: this.#load(key), startedAt, state: 'loading' }
    entry.loading.then(
      (value) => Object.assign(entry, { value, state: 'loaded' }),
      () => Object.assign(entry, { state: 'failed' }),
    )
    return entry
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
