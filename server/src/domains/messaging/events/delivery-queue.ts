import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { newUuid, toId } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { hasEnded } from '../../../platform/queue/lease.ts'
import { longestDelay, RETRY_DELAYS } from '../../../platform/queue/retry-delays.ts'
import { isGovernanceEvent } from '../../../shared/governance-event.ts'
import { DELIVERY_LIFETIME_MS, type WebhookFormat } from './webhook.ts'

/** A delivery whose node has stopped is claimed again after this time; longer than any attempt. */
export const LEASE_MS = 60_000

export interface ClaimedDelivery {
  readonly uuid: string
  readonly id: string
  readonly workspaceId: string
  readonly url: string
  readonly format: WebhookFormat
  readonly secret: string
  readonly type: string
  readonly happenedAt: Date
  readonly payload: string
  readonly attempts: number
  readonly giveUpAt: Date
  readonly traceparent: string | null
}

/** Takes the new events of one webhook that no other node is working on. Returns whether there may be more. */
export async function enqueueDeliveries(db: Db, now: Date, most: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const webhook = await lockWebhookWithNewEvents(tx)
    if (!webhook) return false
    const events = await readNewEvents(tx, webhook, most)
    const { id, format, types } = webhook
    const deliveries = events
      .filter(
        ({ type }) =>
          (types === null || types.some((wanted) => wanted === type)) && (format === 'standard' || isGovernanceEvent(type)),
      )
      .map(({ sequence: _, ...event }) => ({
        ...event,
        id: newUuid(),
        webhook_id: id,
        happened_at: event.created_at,
        state: 'pending' as const,
        attempts: 0,
        give_up_at: new Date(now.getTime() + DELIVERY_LIFETIME_MS),
        next_attempt_at: now,
        created_at: now,
      }))
    if (deliveries.length > 0) await tx.insertInto('webhook_delivery').values(deliveries).execute()
    const position = events.length < most ? webhook.last : (events.at(-1)?.sequence ?? webhook.last)
    await tx
      .updateTable('webhook')
      .set({ position })
      .where(({ and }) => and({ workspace_id: webhook.workspace_id, id }))
      .execute()
    return true
  })
}

const lockWebhookWithNewEvents = (tx: Tx) =>
  tx
    .selectFrom('webhook')
    .innerJoin('event_position', 'event_position.workspace_id', 'webhook.workspace_id')
    .select(['webhook.id', 'webhook.workspace_id', 'format', 'types', 'position', 'last'])
    .where('enabled', '=', true)
    .whereRef('position', '<', 'last')
    .limit(1)
    .forNoKeyUpdate('webhook')
    .skipLocked()
    .executeTakeFirst()

type WebhookWithNewEvents = NonNullable<Awaited<ReturnType<typeof lockWebhookWithNewEvents>>>

/** Locks the events, so that `eraseEvents` either removes an event before it becomes a delivery, or removes the delivery as well. */
const readNewEvents = (tx: Tx, { workspace_id, position, last }: WebhookWithNewEvents, most: number) =>
  tx
    .selectFrom('event_log')
    .select(['sequence', 'workspace_id', 'type', 'object_id', 'conversation_id', 'traceparent', 'created_at'])
    .select(sql<string>`payload::text`.as('payload'))
    .where('workspace_id', '=', workspace_id)
    .where('sequence', '>', position)
    .where('sequence', '<=', last)
    .orderBy('sequence')
    .limit(most)
    .forKeyShare()
    .execute()

const LONGEST_DELAY_MS = longestDelay(RETRY_DELAYS.webhookDelivery)

/** A delivery that still has the time of its creation is due even if the clock was set back; claims and retries set another time. */
const isDue = (now: Date) =>
  sql<boolean>`(${hasEnded(sql`next_attempt_at`, now, LONGEST_DELAY_MS)}
    or (next_attempt_at = webhook_delivery.created_at and next_attempt_at > ${new Date(now.getTime() + LEASE_MS)}))`

export async function listDueWebhooks(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook')
    .select('id')
    .where('enabled', '=', true)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_delivery')
          .select('webhook_delivery.id')
          .whereRef('webhook_id', '=', 'webhook.id')
          .where('state', '=', 'pending')
          .where(isDue(now)),
      ),
    )
    .execute()
  return rows.map(({ id }) => id)
}

/** Claims up to `most` due deliveries of one webhook (a UUID), those that are due longest first. */
export async function claimDeliveries(
  db: Db,
  box: SecretBox,
  { webhook, now, most }: { readonly webhook: string; readonly now: Date; readonly most: number },
): Promise<ClaimedDelivery[]> {
  const due = db
    .selectFrom('webhook_delivery')
    .select('id')
    .where(({ and }) => and({ webhook_id: webhook, state: 'pending' }))
    .where(isDue(now))
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .skipLocked()
  const rows = await db
    .updateTable('webhook_delivery')
    .from('webhook')
    .set({ next_attempt_at: new Date(now.getTime() + LEASE_MS) })
    .whereRef('webhook.id', '=', 'webhook_id')
    .where('webhook.enabled', '=', true)
    .where('webhook_delivery.id', 'in', due)
    .returning([
      'webhook_delivery.id as uuid',
      'webhook.url',
      'webhook.format',
      'webhook.workspace_id as workspace',
      'webhook.secret',
      'webhook_delivery.type',
      'attempts',
      'traceparent',
    ])
    .returning(['happened_at as happenedAt', 'give_up_at as giveUpAt', sql<string>`payload::text`.as('payload')])
    .execute()
  return rows.map(({ workspace, ...row }) => ({
    ...row,
    id: toId('dlv', row.uuid),
    workspaceId: toId('ws', workspace),
    secret: box.open(row.secret, toId('whk', webhook)),
  }))
}

export interface AttemptResult {
  readonly status: number | null
  readonly failure: string | null
  readonly now: Date
  /** Undefined: there is no further attempt. */
  readonly nextAttemptAt?: Date
}

/** Records an attempt. A delivery that has been replayed or erased since does not change. */
export async function recordAttempt(
  db: Db,
  { uuid, attempts }: ClaimedDelivery,
  { status, failure, now, nextAttemptAt }: AttemptResult,
): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({
      state: failure === null ? 'delivered' : nextAttemptAt ? 'pending' : 'dead',
      attempts: attempts + 1,
      last_status: status,
      last_failure: failure,
      next_attempt_at: nextAttemptAt ?? null,
      ended_at: nextAttemptAt ? null : now,
    })
    .where(({ and }) => and({ id: uuid, state: 'pending', attempts }))
    .execute()
}
