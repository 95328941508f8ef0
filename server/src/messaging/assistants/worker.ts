import { setTimeout } from 'node:timers/promises'
import type { Signal } from '../../db/signal.ts'
import { runInStoredTrace } from '../../lib/trace-context.ts'
import { REVIEWS_TOPIC } from '../../review/review.ts'
import { ASSISTANTS_TOPIC } from './enqueue.ts'
import { type TurnDeps, takeTurn } from './take-turn.ts'
import { claimTurn, postponeTurn, renewClaim, type Turn } from './turn-store.ts'

/** Turns that a node works on at once. */
const CONCURRENCY = 8
/** How long a turn stays with a worker that is not heard of any more. */
const CLAIM_MS = 20_000
const RENEW_MS = 5_000
/** After a fault. */
const RETRY_MS = 2_000
/** How long turns may go on when the server stops; what is not done by then is done by whoever starts next. */
const GRACE_MS = 10_000
/** And how long the turns that were cut off get to be written down as postponed. */
const POSTPONE_MS = 1_000

interface Deps extends TurnDeps {
  readonly signal: Signal
  /** Spans are made of exchanges. */
  readonly recordsSpans: boolean
}

/** Has assistants answer what they are asked. Every node has one; a turn is worked on by one at a time. */
export class AssistantWorker {
  readonly #deps: Deps
  readonly #ending = new AbortController()
  /** Aborted when the grace is over: calls of providers that still run are ended, and their turns taken up again later. */
  readonly #cut = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #unsubscribe: readonly (() => void)[]
  #claiming: Promise<void> | undefined
  #again = false

  constructor(deps: Deps) {
    this.#deps = deps
    const wake = () => this.wake()
    this.#unsubscribe = [deps.signal.subscribe(ASSISTANTS_TOPIC, wake), deps.signal.subscribe(REVIEWS_TOPIC, wake)]
  }

  /** There may be a turn: takes up as many as it may. Answers at once. */
  wake(): void {
    this.run().catch((err: unknown) => this.#deps.log.error({ err }, 'turns of assistants could not be read'))
  }

  /** The same; resolves when all that may be taken up has been. */
  run(): Promise<void> {
    this.#again = true
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined
      // Woken after the last look, and before this one's end.
      if (this.#again && !this.#ending.signal.aborted && this.#running.size < CONCURRENCY) this.wake()
    })
    return this.#claiming
  }

  /** Resolves when nothing is left to be done now, as tests need it. */
  async idle(): Promise<void> {
    do {
      await this.run()
      await Promise.all(this.#running)
    } while (this.#running.size > 0 || this.#claiming)
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#ending.abort()
    await this.#claiming?.catch(() => {})
    const waiting = new AbortController()
    const grace = setTimeout(GRACE_MS, undefined, { signal: waiting.signal }).catch(() => {})
    await Promise.race([Promise.all(this.#running), grace])
    waiting.abort()
    this.#cut.abort()
    await Promise.race([Promise.all(this.#running), setTimeout(POSTPONE_MS, undefined, { ref: false })])
  }

  async #claim(): Promise<void> {
    const { db, clock } = this.#deps
    while (this.#again) {
      this.#again = false
      while (this.#running.size < CONCURRENCY && !this.#ending.signal.aborted) {
        const turn = await claimTurn(db, clock.now(), CLAIM_MS)
        if (!turn) break
        this.#start(turn)
      }
    }
  }

  #start(turn: Turn): void {
    const running = this.#work(turn).finally(() => {
      this.#running.delete(running)
      if (!this.#ending.signal.aborted) this.wake()
    })
    this.#running.add(running)
  }

  async #work(turn: Turn): Promise<void> {
    const { db, clock, log, recordsSpans } = this.#deps
    const after = (ms: number) => new Date(clock.now().getTime() + ms)
    const renew = () => renewClaim(db, turn, after(CLAIM_MS)).catch(() => false)
    const renewing = setInterval(renew, RENEW_MS)
    try {
      await runInStoredTrace(turn.traceparent, recordsSpans, () => takeTurn(turn, this.#cut.signal, this.#deps))
    } catch (err) {
      log.error({ err, message_id: turn.messageId }, 'an assistant could not take its turn')
      await postponeTurn(db, turn, after(RETRY_MS), { failed: true }).catch(() => false)
    } finally {
      clearInterval(renewing)
    }
  }
}
