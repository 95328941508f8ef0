import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { elapsed } from './clock.ts'
import { DeadlineError, withDeadline } from './deadline.ts'

/** A revocation reaches every node within this, and a query, even when no signal does (GW-AUTH-3). */
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
  readonly #lookUpMs: number
  readonly #known: LRUCache<string, Entry<A>>
  readonly #unknown: LRUCache<string, true>
  readonly #pending = new Map<string, Promise<A | undefined>>()
  readonly #strangersInTurn = pLimit(MAX_STRANGERS)
  #generation = 0

  constructor(
    load: (hash: string) => Promise<A | undefined>,
    { clock = elapsed, maxKnown = MAX_KNOWN, maxUnknown = MAX_UNKNOWN, lookUpMs = LOOK_UP_MS }: CredentialCacheOptions = {},
  ) {
    this.#load = load
    this.#clock = clock
    this.#lookUpMs = lookUpMs
    // Without an age: what is too old is looked up again, and still known.
    this.#known = new LRUCache({ max: maxKnown })
    this.#unknown = new LRUCache({ max: maxUnknown, ttl: MAX_AGE_MS, ttlResolution: 0, perf: { now: clock } })
  }

  /** Undefined when nothing has this hash. Rejects when the look-up fails, or does not end in time. */
  async get(hash: string): Promise<A | undefined> {
    const known = this.#known.get(hash)
    if (known?.generation === this.#generation && this.#clock() < known.until) return known.answer
    if (this.#unknown.get(hash)) return undefined
    const pending = this.#pending.get(hash)
    if (pending) return pending
    const until = elapsed() + this.#lookUpMs
    const work = known ? this.#lookUp(hash) : this.#strangersInTurn(() => this.#lookUpUntil(until, hash))
    const lookup = withDeadline(this.#lookUpMs, work, 'the credential was not looked up').finally(() => {
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
    const start = this.#clock()
    const answer = await this.#load(hash)
    if (generation !== this.#generation) return answer
    if (answer === undefined) {
      this.#known.delete(hash)
      this.#unknown.set(hash, true, { start })
    } else {
      this.#known.set(hash, { answer, until: start + MAX_AGE_MS, generation })
    }
    return answer
  }

  async #lookUpUntil(until: number, hash: string): Promise<A | undefined> {
    // Its caller has given up: the next in the queue may have its time.
    if (elapsed() >= until) throw new DeadlineError('the credential was not looked up in time')
    return this.#lookUp(hash)
  }
}
