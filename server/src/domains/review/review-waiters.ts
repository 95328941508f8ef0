import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import { REVIEWS_TOPIC } from './review.ts'
import { findDecidedReviews } from './review-store.ts'

/** How often the items of all waiting requests are read together, in case a notification was lost. */
const POLL_MS = 1_000
/** The longest delay of a timer in Node; with a longer one it fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Wait<T> {
  readonly read: () => Promise<T>
  readonly isDone: (value: T) => boolean
  /** Time at which the value changes without a signal: the item's expiry, or the end of another node's claim. */
  readonly wakeAt?: (value: T) => Date | undefined
  /** Limit of the whole wait in milliseconds, by the last value: longer for a release in progress than for a pending item. */
  readonly maxWaitMs: (value: T) => number
  readonly signal?: AbortSignal | undefined
}

interface Deps {
  readonly signal: Signal
  readonly clock: Clock
  /** Absent: a lost notification is noticed at the limit of the wait. */
  readonly db?: Db
  /** Called if the other nodes could not be notified. Requests that wait there see the change when their wait ends. */
  readonly onError: (error: Error) => void
}

/** Requests that wait for a review item (GW-REV-16). Each costs a map entry and a timer; all together cost one query a second. */
export class ReviewWaiters {
  readonly #deps: Deps
  readonly #unsubscribe: () => void
  readonly #wakeCallbacks = new Map<string, Set<() => void>>()
  #polling: NodeJS.Timeout | undefined
  #isReading = false
  #closed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#unsubscribe = deps.signal.subscribe(REVIEWS_TOPIC, (id) => (id === undefined ? this.#wakeAll() : this.#wake(id)))
  }

  get size(): number {
    let size = 0
    for (const wakes of this.#wakeCallbacks.values()) size += wakes.size
    return size
  }

  /** Notifies all nodes that an item has changed. Call it after the commit. Never rejects. */
  async changed(id: string): Promise<void> {
    try {
      await this.#deps.signal.publish(REVIEWS_TOPIC, id)
    } catch (error) {
      this.#wake(id)
      this.#deps.onError(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** Returns the last value. It listens before it reads, so that no change is missed, and reads again at the limit. */
  async waitUntil<T>(id: string, { read, isDone, wakeAt, maxWaitMs, signal }: Wait<T>): Promise<T> {
    const startedAt = elapsed()
    for (;;) {
      const change = this.#listen(id)
      const asOf = this.#deps.clock.now()
      try {
        const value = await read()
        const left = startedAt + maxWaitMs(value) - elapsed()
        if (isDone(value) || left <= 0 || this.#closed || signal?.aborted) return value
        await change.wait(Math.min(left, this.#msUntil(wakeAt?.(value), asOf)), signal)
        if (this.#closed || signal?.aborted) return value
      } finally {
        change.stop()
      }
    }
  }

  close(): void {
    this.#closed = true
    this.#unsubscribe()
    clearInterval(this.#polling)
    this.#wakeAll()
  }

  /** A failed read is not reported: requests in flight report what is wrong with the database, and the next one follows. */
  async #poll(db: Db): Promise<void> {
    if (this.#wakeCallbacks.size === 0) {
      clearInterval(this.#polling)
      this.#polling = undefined
    } else if (!this.#isReading) {
      this.#isReading = true
      const decided = await findDecidedReviews(db, [...this.#wakeCallbacks.keys()]).catch(() => [])
      this.#isReading = false
      for (const id of decided) this.#wake(id)
    }
  }

  /** A time before the read is ignored: waking at it would become polling. */
  #msUntil(time: Date | undefined, asOf: Date): number {
    if (time === undefined || time <= asOf) return Number.POSITIVE_INFINITY
    return Math.max(time.getTime() - this.#deps.clock.now().getTime(), 1)
  }

  #listen(id: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const wakes = this.#wakeCallbacks.get(id) ?? new Set()
    this.#wakeCallbacks.set(id, wakes.add(wake))
    const { db } = this.#deps
    if (db && !this.#closed) this.#polling ??= setInterval(() => void this.#poll(db), POLL_MS).unref()
    let timer: NodeJS.Timeout | undefined
    let abort: AbortSignal | undefined
    return {
      wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
        timer = setTimeout(wake, Math.min(Math.ceil(ms), MAX_TIMER_MS))
        abort = signal
        abort?.addEventListener('abort', wake)
        return promise
      },
      stop: () => {
        clearTimeout(timer)
        abort?.removeEventListener('abort', wake)
        wakes.delete(wake)
        if (wakes.size === 0 && this.#wakeCallbacks.get(id) === wakes) this.#wakeCallbacks.delete(id)
      },
    }
  }

  #wake(id: string): void {
    for (const wake of this.#wakeCallbacks.get(id) ?? []) wake()
  }

  #wakeAll(): void {
    for (const id of this.#wakeCallbacks.keys()) this.#wake(id)
  }
}
