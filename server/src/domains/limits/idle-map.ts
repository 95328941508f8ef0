/** Entries that each `sweep` checks. With two, sweeps are faster than insertions, which add one at a time. */
const ENTRIES_PER_SWEEP = 2

/** A map that removes idle entries without timers: each `sweep` checks the next two entries, and starts again after the last. */
export class IdleMap<V> {
  readonly #entries = new Map<string, V>()
  readonly #isIdle: (value: V) => boolean
  // @NOTE the iterator is kept, because a new one would pass over the gaps that deletions leave at the front of a Map.
  #cursor = this.#entries.entries()

  constructor(isIdle: (value: V) => boolean) {
    this.#isIdle = isIdle
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: V): void {
    this.#entries.set(key, value)
  }

  sweep(): void {
    for (let i = 0; i < ENTRIES_PER_SWEEP; i++) {
      const { done, value } = this.#cursor.next()
      if (done) {
        this.#cursor = this.#entries.entries()
        return
      }
      if (this.#isIdle(value[1])) this.#entries.delete(value[0])
    }
  }
}
