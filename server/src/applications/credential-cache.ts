import { elapsed } from '../lib/clock.ts'
import { DeadlineError, within } from '../lib/deadline.ts'

/** A revocation reaches every node within this, and a query, even when no signal does (decisions.md §2.6: 1 s). */
const MAX_AGE_MS = 750
const MAX_KNOWN = 10_000
const MAX_UNKNOWN = 1_000
/** Look-ups of credentials never seen before that may keep the database busy at the same time. */
const MAX_STRANGERS = 4
/** Longest time that a look-up may take, waiting for its turn included: then nobody can say whether the credential is good. */
export const LOOK_UP_MS = 3_000

interface Entry<A> {
  readonly answer: A
  readonly until: number
  readonly generation: number
}

export interface CredentialCacheOptions {
  /** Milliseconds, monotonic. */
  readonly clock?: () => number
  readonly maxKnown?: number
  readonly maxUnknown?: number
  readonly lookUpMs?: number
}

/**
 * Remembers for a moment what stands behind the hash of a credential. Unlike lib/cache.ts it is built for strangers: a
 * stream of invented keys is remembered apart, so that it can neither fill the memory nor push the real ones out, and waits
 * in a queue of its own, so that the real ones do not wait behind it for the database. A failed look-up is not remembered.
 */
export class CredentialCache<A> {
  readonly #load: (hash: string) => Promise<A | undefined>
  readonly #clock: () => number
  readonly #maxKnown: number
  readonly #maxUnknown: number
  readonly #lookUpMs: number
  readonly #known = new Map<string, Entry<A>>()
  readonly #unknown = new Map<string, number>()
  readonly #pending = new Map<string, Promise<A | undefined>>()
  readonly #queue: (() => void)[] = []
  #strangers = 0
  #generation = 0

  constructor(
    load: (hash: string) => Promise<A | undefined>,
    { clock = elapsed, maxKnown = MAX_KNOWN, maxUnknown = MAX_UNKNOWN, lookUpMs = LOOK_UP_MS }: CredentialCacheOptions = {},
  ) {
    this.#load = load
    this.#clock = clock
    this.#maxKnown = maxKnown
    this.#maxUnknown = maxUnknown
    this.#lookUpMs = lookUpMs
  }

  /** Undefined when nothing has this hash. Rejects when the look-up fails, or does not end in time. */
  async get(hash: string): Promise<A | undefined> {
    const known = this.#known.get(hash)
    if (known?.generation === this.#generation && this.#clock() < known.until) return known.answer
    if (this.#clock() < (this.#unknown.get(hash) ?? 0)) return undefined
    const pending = this.#pending.get(hash)
    if (pending) return pending
    const until = elapsed() + this.#lookUpMs
    const work = known ? this.#lookUp(hash) : this.#inTurn(until, () => this.#lookUp(hash))
    const lookup = within(this.#lookUpMs, work, 'the credential was not looked up').finally(() => {
      if (this.#pending.get(hash) === lookup) this.#pending.delete(hash)
    })
    this.#pending.set(hash, lookup)
    return lookup
  }

  /**
   * Something has changed: everything is looked up again, and what is being looked up right now is not remembered. Known
   * credentials stay known, so that they need not queue with the strangers.
   */
  forget(): void {
    this.#generation += 1
    this.#unknown.clear()
    this.#pending.clear()
  }

  async #lookUp(hash: string): Promise<A | undefined> {
    const generation = this.#generation
    const until = this.#clock() + MAX_AGE_MS
    const answer = await this.#load(hash)
    if (generation !== this.#generation) return answer
    if (answer === undefined) {
      this.#known.delete(hash)
      remember(this.#unknown, hash, until, this.#maxUnknown)
    } else {
      remember(this.#known, hash, { answer, until, generation }, this.#maxKnown)
    }
    return answer
  }

  async #inTurn<T>(until: number, work: () => Promise<T>): Promise<T> {
    while (this.#strangers >= MAX_STRANGERS) await new Promise<void>((resolve) => this.#queue.push(resolve))
    this.#strangers += 1
    try {
      // Nobody waits for it any more: the next in the queue may have its time.
      if (elapsed() >= until) throw new DeadlineError('the credential was not looked up in time')
      return await work()
    } finally {
      this.#strangers -= 1
      this.#queue.shift()?.()
    }
  }
}

/** Sets `key` as the newest; drops the oldest when there are more than `most`. */
function remember<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
