/** Entries looked at with each `sweep`; two, so that it gains on insertions, which come one at a time. */
const LOOKS = 2

/**
 * A map that forgets what is idle without timers and without pauses: each `sweep` looks at the next two entries and drops
 * the idle ones; at the end it begins again.
 */
export class IdleMap<V> {
  readonly #entries = new Map<string, V>()
  readonly #isIdle: (value: V) => boolean
  // @NOTE one iterator kept alive: a new one would walk over the holes that deletions leave at the front of a Map.
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
    for (let i = 0; i < LOOKS; i++) {
      const { done, value } = this.#cursor.next()
      if (done) {
        this.#cursor = this.#entries.entries()
        return
      }
      if (this.#isIdle(value[1])) this.#entries.delete(value[0])
    }
  }
}
