import type { Db } from '../../db/database.ts'
import type { Signal } from '../../db/signal.ts'
import { RETRY_DELAYS, steppedDelay } from '../../jobs/queue/retry-delays.ts'
import { WorkQueue } from '../../jobs/queue/work-queue.ts'
import { Cache } from '../../lib/cache.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { runInStoredTrace } from '../../lib/trace-context.ts'
import { type ClaimedDelivery, claimDeliveries, enqueueDeliveries, listDueWebhooks, recordAttempt } from './delivery-queue.ts'
import { EVENTS_TOPIC } from './event.ts'
import type { WebhookSender } from './webhook-sender.ts'
import { hasEnabledWebhook } from './webhook-store.ts'

const ENQUEUE_BATCH = 200
/** Attempts to one receiver at a time: a slow receiver delays no other. */
const CONCURRENT_ATTEMPTS = 8
/** 410: the receiver wants no other attempt. */
const GONE = 410

interface Deps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly random: () => number
  readonly webhookBox: SecretBox
  readonly sender: Pick<WebhookSender, 'send'>
  readonly onError: (error: Error) => void
}

/** Delivers events to webhooks. Every node delivers some of them. */
export class WebhookDispatcher extends WorkQueue<string> {
  readonly #deps: Deps
  /** Webhooks that this node delivers to. */
  readonly #busy = new Set<string>()
  /** Most servers have no webhook: then an event costs no query here. */
  readonly #any: Cache<boolean>

  constructor(deps: Deps) {
    super({
      claim: () => this.#listDueWebhooks(),
      work: (webhook, cut) => this.#deliver(webhook, cut).finally(() => this.#busy.delete(webhook)),
      concurrency: Number.POSITIVE_INFINITY,
      topics: [EVENTS_TOPIC],
      ...deps,
    })
    this.#deps = deps
    this.#any = new Cache(() => hasEnabledWebhook(deps.db), { maxEntries: 1 })
  }

  /** A webhook was created or enabled. */
  changed(): void {
    this.#any.forget()
    this.wake()
  }

  async #listDueWebhooks(): Promise<string[]> {
    const { db, clock } = this.#deps
    if (!(await this.#any.get(''))) return []
    while (await enqueueDeliveries(db, clock.now(), ENQUEUE_BATCH));
    const due = (await listDueWebhooks(db, clock.now())).filter((webhook) => !this.#busy.has(webhook))
    for (const webhook of due) this.#busy.add(webhook)
    return due
  }

  /** Until no delivery of this webhook is due. False when there was none. */
  async #deliver(webhook: string, cut: AbortSignal): Promise<boolean> {
    const { db, clock, webhookBox } = this.#deps
    for (let hasAttempted = false; ; hasAttempted = true) {
      if (cut.aborted) return false
      const claimed = await claimDeliveries(db, webhookBox, { webhook, now: clock.now(), most: CONCURRENT_ATTEMPTS })
      if (claimed.length === 0) return hasAttempted
      await Promise.all(claimed.map((delivery) => this.#attempt(delivery, cut)))
    }
  }

  async #attempt(delivery: ClaimedDelivery, cut: AbortSignal): Promise<void> {
    const { db, clock, sender, random } = this.#deps
    // Deliveries make no spans: the request's span is the parent of the receiver's.
    const sent = await runInStoredTrace(delivery.traceparent, false, () => sender.send(delivery, clock.now(), cut))
    // An attempt that was cut off is not counted: a node makes it when the lease is over.
    if (cut.aborted && sent.status === null) return
    const now = clock.now()
    const delay = steppedDelay(delivery.attempts + 1, RETRY_DELAYS.webhookDelivery, random)
    const next = new Date(now.getTime() + delay)
    const isOver = sent.failure === null || sent.status === GONE || next > delivery.giveUpAt
    await recordAttempt(db, delivery, { ...sent, now, ...(!isOver && { again: next }) })
  }
}
