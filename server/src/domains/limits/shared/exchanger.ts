import { randomUUID } from 'node:crypto'
import { elapsed } from '../../../platform/lib/clock.ts'
import { DeadlineError, withDeadline } from '../../../platform/lib/deadline.ts'
import { MAX_REQUESTS, type QuotaAnswer, type QuotaRequest, type QuotaStore } from './quota-store.ts'

/** Time limit of one exchange. Requests that wait for it get 503. */
const EXCHANGE_MS = 1_000
/** How often leases are checked for an exchange that is due. */
const TICK_MS = 20

/** This node's lease of one limit. */
export interface Lessee {
  readonly holder: string
  /** When the next exchange is due. Infinity: there is nothing to tell or to ask. */
  readonly dueAt: number
  /** The request of an exchange that is sent now. */
  request(now: number): QuotaRequest
  accept(answer: QuotaAnswer, exchange: { readonly batch: number; readonly sentAt: number; readonly now: number }): void
  fail(cause: unknown, now: number): void
  /** Gives up what is held and not used, with the next exchange. */
  end(): void
}

/** The part of the exchanger that a lease uses. */
export type LeaseExchanger = Pick<Exchanger, 'clock' | 'nextHolder' | 'wake'>

/**
 * Exchanges quota with the other nodes through a store. One exchange runs at a time and carries all limits that are due, so a node sends as
 * many statements as the round trips that fit into a second, however many requests it gets.
 */
export class Exchanger {
  readonly clock: () => number
  readonly #store: QuotaStore
  /** Names this process in the stores. */
  readonly #node = randomUUID()
  #holders = 0
  /** Leases with something to exchange, now or later. */
  readonly #active = new Set<Lessee>()
  #timer: NodeJS.Timeout | undefined
  #scheduled = false
  #running: Promise<void> | undefined
  #batch = 0
  #isClosed = false
  readonly #results = { ok: 0, failed: 0 }

  /** `clock`: milliseconds, monotonic. */
  constructor(store: QuotaStore, clock: () => number = elapsed) {
    this.#store = store
    this.clock = clock
  }

  get statistics(): { readonly ok: number; readonly failed: number } {
    return { ...this.#results }
  }

  nextHolder(): string {
    this.#holders += 1
    return `${this.#node}.${this.#holders}`
  }

  /** Call it when `dueAt` has become earlier. All requests of this turn of the event loop share an exchange. */
  wake(lessee: Lessee): void {
    if (this.#isClosed) {
      this.#refuse(lessee)
      return
    }
    this.#active.add(lessee)
    this.#timer ??= setInterval(() => this.#start(), TICK_MS).unref()
    if (!this.#running && lessee.dueAt <= this.clock()) this.#schedule()
  }

  /** Starts after the requests that wait for the last answer have taken what it granted. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#start()
    })
  }

  /** Returns all that this node holds and does not use. Call it when no more requests come. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#running
    const rest = [...this.#active].filter(({ dueAt }) => dueAt !== Number.POSITIVE_INFINITY)
    for (const lessee of rest) lessee.end()
    for (let i = 0; i < rest.length; i += MAX_REQUESTS) await this.#exchange(rest.slice(i, i + MAX_REQUESTS))
  }

  /** Nothing waits for an exchange that never comes. */
  #refuse(lessee: Lessee): void {
    lessee.request(this.clock())
    lessee.fail(new DeadlineError('the server is stopping'), this.clock())
  }

  #start(): void {
    if (this.#running || this.#isClosed) return
    const now = this.clock()
    const due: Lessee[] = []
    for (const lessee of this.#active) {
      if (lessee.dueAt === Number.POSITIVE_INFINITY) this.#active.delete(lessee)
      else if (lessee.dueAt <= now && due.length < MAX_REQUESTS) due.push(lessee)
    }
    if (this.#active.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    if (due.length === 0) return
    this.#running = this.#exchange(due).finally(() => {
      this.#running = undefined
      this.#schedule()
    })
  }

  async #exchange(lessees: readonly Lessee[]): Promise<void> {
    const sentAt = this.clock()
    const batch = ++this.#batch
    const requests = lessees.map((lessee) => lessee.request(sentAt))
    let answers: readonly QuotaAnswer[]
    try {
      const work = this.#store.exchange({ batch, requests })
      answers = await withDeadline(EXCHANGE_MS, work, 'the store of the limits did not respond')
    } catch (cause) {
      this.#results.failed += 1
      for (const lessee of lessees) lessee.fail(cause, this.clock())
      return
    }
    this.#results.ok += 1
    const now = this.clock()
    const byHolder = new Map(answers.map((answer) => [answer.holder, answer]))
    for (const lessee of lessees) {
      const answer = byHolder.get(lessee.holder)
      if (answer) lessee.accept(answer, { batch, sentAt, now })
      else lessee.fail(new DeadlineError('an exchange of limits reached the store after a later one'), now)
    }
  }
}
