import type { Db } from '../../../platform/db/database.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import { Cache } from '../../../platform/lib/cache.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { runInStoredTrace } from '../../../platform/lib/trace-context.ts'
import { RETRY_DELAYS, steppedDelay } from '../../../platform/queue/retry-delays.ts'
import { WorkQueue } from '../../../platform/queue/work-queue.ts'
import { isGovernanceEvent } from '../../../shared/governance-event.ts'
import { toSlack, toTeams } from '../../notifications/chat-formats.ts'
import { type EventMessage, type GovernanceEvent, messageOf, sentPayload, urlOf } from '../../notifications/event-message.ts'
import { findNames } from '../../notifications/find-names.ts'
import { type ClaimedDelivery, claimDeliveries, enqueueDeliveries, listDueWebhooks, recordAttempt } from './delivery-queue.ts'
import { EVENTS_TOPIC } from './event.ts'
import type { WebhookFormat } from './webhook.ts'
import type { WebhookSender } from './webhook-sender.ts'
import { hasEnabledWebhook } from './webhook-store.ts'

const ENQUEUE_BATCH = 200
const CONCURRENT_ATTEMPTS = 8
const HTTP_GONE = 410
const MAX_RETRY_AFTER_MS = 3_600_000

interface Deps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly random: () => number
  readonly webhookBox: SecretBox
  /** GATEHOUSE_PUBLIC_URL; undefined: messages have no links. */
  readonly publicUrl: string | undefined
  readonly sender: Pick<WebhookSender, 'send'>
  readonly onError: (error: Error) => void
}

/** Delivers events to webhooks, in parallel with other nodes. A slow receiver does not delay others. */
export class WebhookDispatcher extends WorkQueue<string> {
  readonly #deps: Deps
  readonly #busy = new Set<string>()
  /** Whether there is an enabled webhook: servers without webhooks need no query for an event. */
  readonly #hasWebhook: Cache<boolean>
  readonly attempts = { delivered: 0, failed: 0 }

  constructor(deps: Deps) {
    super({
      claim: () => this.#claimWebhooks(),
      work: (webhook, signal) => this.#deliver(webhook, signal).finally(() => this.#busy.delete(webhook)),
      concurrency: Number.POSITIVE_INFINITY,
      topics: [EVENTS_TOPIC],
      ...deps,
    })
    this.#deps = deps
    this.#hasWebhook = new Cache(() => hasEnabledWebhook(deps.db), { maxEntries: 1 })
  }

  /** Call it when a webhook was created or enabled. */
  changed(): void {
    this.#hasWebhook.forget()
    this.wake()
  }

  async #claimWebhooks(): Promise<string[]> {
    const { db, clock } = this.#deps
    if (!(await this.#hasWebhook.get(''))) return []
    while (await enqueueDeliveries(db, clock.now(), ENQUEUE_BATCH));
    const due = (await listDueWebhooks(db, clock.now())).filter((webhook) => !this.#busy.has(webhook))
    for (const webhook of due) this.#busy.add(webhook)
    return due
  }

  /** Attempts deliveries until none of this webhook is due. Returns whether there was one. */
  async #deliver(webhook: string, signal: AbortSignal): Promise<boolean> {
    const { db, clock, webhookBox } = this.#deps
    for (let hasAttempted = false; ; hasAttempted = true) {
      if (signal.aborted) return false
      const claimed = await claimDeliveries(db, webhookBox, { webhook, now: clock.now(), most: CONCURRENT_ATTEMPTS })
      if (claimed.length === 0) return hasAttempted
      await Promise.all(claimed.map((delivery) => this.#attempt(delivery, signal)))
    }
  }

  async #attempt(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const { db, clock, sender, random } = this.#deps
    // Deliveries record no spans: the parent of the receiver's span is the span of the request.
    const result = await runInStoredTrace(delivery.traceparent, undefined, async () => {
      const body = await deliveryBody(delivery, clock.now(), this.#deps)
      return sender.send({ ...delivery, body }, clock.now(), signal)
    })
    // An aborted attempt does not count: the delivery is claimed again after its lease.
    if (signal.aborted && result.status === null) return
    this.attempts[result.failure === null ? 'delivered' : 'failed']++
    const now = clock.now()
    const asked = Math.min(result.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)
    const delay = Math.max(steppedDelay(delivery.attempts + 1, RETRY_DELAYS.webhookDelivery, random), asked)
    const nextAttemptAt = new Date(now.getTime() + delay)
    const hasEnded = result.failure === null || result.status === HTTP_GONE || nextAttemptAt > delivery.giveUpAt
    await recordAttempt(db, delivery, {
      status: result.status,
      failure: result.failure,
      now,
      ...(!hasEnded && { nextAttemptAt }),
    })
  }
}

/** The body of a delivery, in the format of its webhook. Names and times are those of the attempt. */
async function deliveryBody(event: ClaimedDelivery, now: Date, { db, publicUrl }: Deps): Promise<string> {
  const { id, type, format, happenedAt, payload } = event
  if (!isGovernanceEvent(type)) return standardBody({ id, type, happenedAt }, payload)
  const governance: GovernanceEvent = { workspaceId: event.workspaceId, type, payload: JSON.parse(payload) }
  if (format === 'standard') {
    const withUrl = { ...sentPayload(governance.payload), url: urlOf(governance, publicUrl) }
    return standardBody({ id, type, happenedAt }, JSON.stringify(withUrl))
  }
  return chatBody(format, messageOf(governance, { names: await findNames(db, governance), now, publicUrl }))
}

/** The body of Standard Webhooks: `{id, type, timestamp, payload}`. `payload`: JSON. */
function standardBody({ id, type, happenedAt }: Pick<ClaimedDelivery, 'id' | 'type' | 'happenedAt'>, payload: string): string {
  const fields = JSON.stringify({ id, type, timestamp: happenedAt.toISOString() })
  return `${fields.slice(0, -1)},"payload":${payload}}`
}

const chatBody = (format: Exclude<WebhookFormat, 'standard'>, message: EventMessage): string =>
  JSON.stringify(format === 'slack' ? toSlack(message) : toTeams(message))

export function testBody(id: string, format: WebhookFormat, now: Date): string {
  if (format === 'standard') return standardBody({ id, type: 'webhook.test', happenedAt: now }, '{"object":"webhook_test"}')
  const facts = ['Reviews, policies, keys and budgets are announced here']
  return chatBody(format, { title: 'Test message from Gatehouse', facts, button: '', url: null })
}
