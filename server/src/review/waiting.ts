import type { Signal } from '../db/signal.ts'
import { type Clock, elapsed } from '../lib/clock.ts'
import { REVIEWS_TOPIC } from './review.ts'

/** Node fires a timer with a longer delay at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Wait<T> {
  /** Reads what is waited for; called once at the start, and again only when it may have changed. */
  readonly read: () => Promise<T>
  /** True: the wait is over. */
  readonly done: (value: T) => boolean
  /** When the value changes by the clock alone: the item's expiry, or the end of another node's claim. */
  readonly wakeAt?: (value: T) => Date | undefined
  /** How long to wait in all, in milliseconds, seeing what was read: a release under way is worth more than a pending item. */
  readonly patienceMs: (value: T) => number
  /** Aborted when the client has gone: the wait ends, and nothing is read any more. */
  readonly signal?: AbortSignal | undefined
}

interface Deps {
  readonly signal: Signal
  readonly clock: Clock
  /** Told when other nodes could not be: those who wait there learn of the change at the end of their wait. */
  readonly onError: (error: Error) => void
}

/**
 * Everybody on this node who waits for a review item. One subscription serves them all: a waiter costs a map entry and a
 * timer, and no query until its item changes, here or on another node.
 */
export class ReviewWaiters {
  readonly #deps: Deps
  readonly #unsubscribe: () => void
  readonly #waiting = new Map<string, Set<() => void>>()
  #closed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#unsubscribe = deps.signal.subscribe(REVIEWS_TOPIC, (id) => (id === undefined ? this.#wakeAll() : this.#wake(id)))
  }

  /** How many wait now: for metrics. */
  get size(): number {
    let size = 0
    for (const wakes of this.#waiting.values()) size += wakes.size
    return size
  }

  /** Tells every node that an item has changed. Call it once the change is committed; it never rejects. */
  async changed(id: string): Promise<void> {
    try {
      await this.#deps.signal.publish(REVIEWS_TOPIC, id)
    } catch (error) {
      this.#wake(id)
      this.#deps.onError(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /**
   * Reads until `done`, until patience ends, the client has gone or the server stops; answers what was read last.
   * It listens before it reads, so that no change falls between the two, and reads once more at the end of the time, so
   * that a lost message costs patience, not the answer.
   */
  async waitUntil<T>(id: string, { read, done, wakeAt, patienceMs, signal }: Wait<T>): Promise<T> {
    const startedAt = elapsed()
    for (;;) {
      const change = this.#listen(id)
      const asOf = this.#deps.clock.now()
      try {
        const value = await read()
        const left = startedAt + patienceMs(value) - elapsed()
        if (done(value) || left <= 0 || this.#closed || signal?.aborted) return value
        await change.within(Math.min(left, this.#msUntil(wakeAt?.(value), asOf)), signal)
        if (this.#closed || signal?.aborted) return value
      } finally {
        change.stop()
      }
    }
  }

  /** Ends all waits with what they have. */
  close(): void {
    this.#closed = true
    this.#unsubscribe()
    this.#wakeAll()
  }

  /** A time that had passed before the reading told nothing new, and must not turn waiting into polling. */
  #msUntil(time: Date | undefined, asOf: Date): number {
    if (time === undefined || time <= asOf) return Number.POSITIVE_INFINITY
    return Math.max(time.getTime() - this.#deps.clock.now().getTime(), 1)
  }

  #listen(id: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const wakes = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, wakes.add(wake))
    let timer: NodeJS.Timeout | undefined
    let abort: AbortSignal | undefined
    return {
      /** Resolves at the first change since `listen`, the client's leaving, or after `ms`. */
      within(ms: number, signal: AbortSignal | undefined): Promise<void> {
        timer = setTimeout(wake, Math.min(Math.ceil(ms), MAX_TIMER_MS))
        abort = signal
        abort?.addEventListener('abort', wake)
        return promise
      },
      stop: () => {
        clearTimeout(timer)
        abort?.removeEventListener('abort', wake)
        wakes.delete(wake)
        if (wakes.size === 0 && this.#waiting.get(id) === wakes) this.#waiting.delete(id)
      },
    }
  }

  #wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake()
  }

  #wakeAll(): void {
    for (const id of this.#waiting.keys()) this.#wake(id)
  }
}
