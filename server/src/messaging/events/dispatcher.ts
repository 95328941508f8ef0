import type { Db } from '../../db/database.ts'
import type { Signal } from '../../db/signal.ts'
import type { Background } from '../../lib/background.ts'
import { Cache } from '../../lib/cache.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { runInStoredTrace } from '../../lib/trace-context.ts'
import { type Claimed, claimDeliveries, enqueueDeliveries, recordAttempt, webhooksDue } from './delivery-queue.ts'
import { EVENTS_TOPIC } from './event.ts'
import { waitAfter } from './webhook.ts'
import type { WebhookSender } from './webhook-sender.ts'
import { anyWebhook } from './webhook-store.ts'

const ENQUEUE_BATCH = 200
/** To one receiver at a time: a slow one keeps nobody else waiting. */
const AT_ONCE = 8
/** Gone: the receiver wants to hear no more of this. */
const GONE = 410

interface Deps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly random: () => number
  readonly webhookBox: SecretBox
  readonly sender: Pick<WebhookSender, 'send'>
  readonly background: Background
}

/** Brings events to webhooks, every node some of them. */
export class WebhookDispatcher {
  readonly #deps: Deps
  /** Webhooks that this node is delivering to. */
  readonly #busy = new Set<string>()
  /** Most servers have none: then an event costs no query here. */
  readonly #any: Cache<boolean>
  #looking = false
  #again = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#any = new Cache(() => anyWebhook(deps.db))
    deps.signal.subscribe(EVENTS_TOPIC, () => this.wake())
  }

  /** A webhook was made, or turned on: events count for it from now on. */
  changed(): void {
    this.#any.forget()
    this.wake()
  }

  /** There may be something to deliver. Answers at once. */
  wake(): void {
    this.#again = true
    if (this.#looking) return
    this.#looking = true
    this.#deps.background.start(async (ending) => {
      try {
        while (this.#again && !ending.aborted) {
          this.#again = false
          await this.#look()
        }
      } finally {
        this.#looking = false
      }
    })
  }

  async #look(): Promise<void> {
    const { db, clock, background } = this.#deps
    if (!(await this.#any.get(''))) return
    while (await enqueueDeliveries(db, clock.now(), ENQUEUE_BATCH));
    for (const webhook of await webhooksDue(db, clock.now())) {
      if (this.#busy.has(webhook)) continue
      this.#busy.add(webhook)
      background.start((ending) => this.#deliver(webhook, ending).finally(() => this.#busy.delete(webhook)))
    }
  }

  /** Until nothing is due any more. */
  async #deliver(webhook: string, ending: AbortSignal): Promise<void> {
    const { db, clock, webhookBox } = this.#deps
    while (!ending.aborted) {
      const claimed = await claimDeliveries(db, webhookBox, { webhook, now: clock.now(), most: AT_ONCE })
      if (claimed.length === 0) return
      await Promise.all(claimed.map((delivery) => this.#attempt(delivery, ending)))
    }
  }

  async #attempt(delivery: Claimed, ending: AbortSignal): Promise<void> {
    const { db, clock, sender, random } = this.#deps
    // Deliveries make no spans: the request's is the parent of what the receiver does.
    const sent = await runInStoredTrace(delivery.traceparent, false, () => sender.send(delivery, clock.now(), ending))
    // Stopped half-way it counts as not begun: another node, or the next start, tries it when the claim has run out.
    if (ending.aborted && sent.status === null) return
    const now = clock.now()
    const next = new Date(now.getTime() + waitAfter(delivery.attempts + 1, random))
    const isOver = sent.failure === null || sent.status === GONE || next > delivery.giveUpAt
    await recordAttempt(db, delivery, { ...sent, now, ...(!isOver && { again: next }) })
  }
}
