import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { isOver } from '../../jobs/queue/lease.ts'
import { longestDelay, RETRY_DELAYS } from '../../jobs/queue/retry-delays.ts'
import { newUuid, toId } from '../../lib/id.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { DELIVERY_LIFETIME_MS } from './webhook.ts'

/** After a node has died, another makes its attempts after this; longer than any attempt takes. */
export const LEASE_MS = 60_000

/** A delivery that this node has claimed. */
export interface ClaimedDelivery {
  readonly uuid: string
  /** `dlv_…` */
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly type: string
  readonly happenedAt: Date
  /** JSON, as it was emitted. */
  readonly payload: string
  /** Failed ones before this. */
  readonly attempts: number
  readonly giveUpAt: Date
  /** Of the request that caused the event; null: it had none. */
  readonly traceparent: string | null
}

/**
 * Makes deliveries of up to `most` new events of one webhook. Resolves to whether there may be more to do. Skips webhooks that another
 * node is working on.
 */
export async function enqueueDeliveries(db: Db, now: Date, most: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const webhook = await tx
      .selectFrom('webhook')
      .innerJoin('event_position', 'event_position.workspace_id', 'webhook.workspace_id')
      .select(['webhook.id', 'webhook.workspace_id', 'types', 'position', 'last'])
      .where('enabled', '=', true)
      .whereRef('position', '<', 'last')
      .limit(1)
      .forNoKeyUpdate('webhook')
      .skipLocked()
      .executeTakeFirst()
    if (!webhook) return false
    const { workspace_id, types } = webhook
    // Locked: an event that is being erased either does not become a delivery, or its delivery is erased as well.
    const events = await tx
      .selectFrom('event_log')
      .select(['sequence', 'type', 'object_id', 'conversation_id', 'traceparent', 'created_at'])
      .select(sql<string>`payload::text`.as('payload'))
      .where('workspace_id', '=', workspace_id)
      .where('sequence', '>', webhook.position)
      .where('sequence', '<=', webhook.last)
      .orderBy('sequence')
      .limit(most)
      .forKeyShare()
      .execute()
    const wanted = events.filter(({ type }) => types === null || types.includes(type))
    if (wanted.length > 0) {
      await tx
        .insertInto('webhook_delivery')
        .values(
          wanted.map(({ sequence: _, created_at, ...event }) => ({
            ...event,
            id: newUuid(),
            workspace_id,
            webhook_id: webhook.id,
            happened_at: created_at,
            state: 'pending',
            attempts: 0,
            give_up_at: new Date(now.getTime() + DELIVERY_LIFETIME_MS),
            next_attempt_at: now,
            created_at: now,
          })),
        )
        .execute()
    }
    const position = events.length < most ? webhook.last : (events.at(-1)?.sequence ?? webhook.last)
    await tx
      .updateTable('webhook')
      .set({ position })
      .where('workspace_id', '=', workspace_id)
      .where('id', '=', webhook.id)
      .execute()
    return true
  })
}

const LONGEST_DELAY_MS = longestDelay(RETRY_DELAYS.webhookDelivery)

/** A first attempt is due at the delivery's creation, also when the clock was set back since; a claim or a retry sets another time. */
const isDue = (now: Date) =>
  sql<boolean>`(${isOver(sql`next_attempt_at`, now, LONGEST_DELAY_MS)}
    or (next_attempt_at = webhook_delivery.created_at and next_attempt_at > ${new Date(now.getTime() + LEASE_MS)}))`

/** Webhooks that have due deliveries. */
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

/** Claims up to `most` due deliveries of one webhook, the one that has waited longest first. */
export async function claimDeliveries(
  db: Db,
  box: SecretBox,
  { webhook, now, most }: { readonly webhook: string; readonly now: Date; readonly most: number },
): Promise<ClaimedDelivery[]> {
  const due = db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('webhook_id', '=', webhook)
    .where('state', '=', 'pending')
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
      'webhook.secret',
      'webhook_delivery.type',
      'attempts',
      'traceparent',
    ])
    .returning(['happened_at as happenedAt', 'give_up_at as giveUpAt', sql<string>`payload::text`.as('payload')])
    .execute()
  return rows.map((row) => ({ ...row, id: toId('dlv', row.uuid), secret: box.open(row.secret, toId('whk', webhook)) }))
}

/** Outcome of an attempt. */
export interface AttemptResult {
  readonly status: number | null
  readonly failure: string | null
  readonly now: Date
  /** Time of the next attempt; undefined: there is none. */
  readonly again?: Date
}

/** Records an attempt. Leaves a delivery unchanged that was replayed or erased meanwhile. */
export async function recordAttempt(
  db: Db,
  { uuid, attempts }: ClaimedDelivery,
  { status, failure, now, again }: AttemptResult,
): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({
      state: failure === null ? 'delivered' : again ? 'pending' : 'dead',
      attempts: attempts + 1,
      last_status: status,
      last_failure: failure,
      next_attempt_at: again ?? null,
      ended_at: again ? null : now,
    })
    .where('id', '=', uuid)
    .where('state', '=', 'pending')
    .where('attempts', '=', attempts)
    .execute()
}
