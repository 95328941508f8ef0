import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { newUuid, toId } from '../../lib/id.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { LONGEST_WAIT_MS, TRIED_MS } from './webhook.ts'

/** A node that died has its deliveries tried by another after this; longer than any attempt takes. */
export const LEASE_MS = 60_000

/** A delivery that is this node's to attempt. */
export interface Claimed {
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
 * Turns up to `most` events that one webhook has not had into deliveries. Answers whether there may be more to do. Webhooks that
 * another node is busy with are left to it.
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
    // Locked, so that what is being erased has either not become a delivery, or is one that will be found.
    const events = await tx
      .selectFrom('event_log')
      .select([
        'sequence',
        'type',
        'object_id',
        'conversation_id',
        sql<string>`payload::text`.as('payload'),
        'traceparent',
        'created_at',
      ])
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
            give_up_at: new Date(now.getTime() + TRIED_MS),
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

/**
 * A time to wait for that is further away than any wait was set before the clock was set back: it is over. So is that of a first
 * attempt whose delivery was made in what is now the future; a claim or a later attempt sets another time.
 */
const isDue = (now: Date) =>
  sql<boolean>`(next_attempt_at <= ${now} or next_attempt_at > ${new Date(now.getTime() + LONGEST_WAIT_MS)}
    or (next_attempt_at = webhook_delivery.created_at and next_attempt_at > ${new Date(now.getTime() + LEASE_MS)}))`

/** Webhooks with something to deliver. */
export async function webhooksDue(db: Db, now: Date): Promise<string[]> {
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

/** Takes up to `most` due deliveries of one webhook, the one that has waited longest first. */
export async function claimDeliveries(
  db: Db,
  box: SecretBox,
  { webhook, now, most }: { readonly webhook: string; readonly now: Date; readonly most: number },
): Promise<Claimed[]> {
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
      'webhook_delivery.id',
      'webhook.url',
      'webhook.secret',
      'webhook_delivery.type',
      'happened_at',
      sql<string>`payload::text`.as('payload'),
      'attempts',
      'traceparent',
      'give_up_at',
    ])
    .execute()
  return rows.map((row) => ({
    uuid: row.id,
    id: toId('dlv', row.id),
    url: row.url,
    secret: box.open(row.secret, toId('whk', webhook)),
    type: row.type,
    happenedAt: row.happened_at,
    payload: row.payload,
    attempts: row.attempts,
    traceparent: row.traceparent,
    giveUpAt: row.give_up_at,
  }))
}

/** What came of an attempt. */
export interface Attempted {
  readonly status: number | null
  readonly failure: string | null
  readonly now: Date
  /** When to try again; undefined: it is over. */
  readonly again?: Date
}

/** Writes down an attempt; what was sent once more meanwhile, or erased, is left as it is. */
export async function recordAttempt(
  db: Db,
  { uuid, attempts }: Claimed,
  { status, failure, now, again }: Attempted,
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
    .where(({ and, eb }) => {
      const same: Expression<SqlBool>[] = [eb('id', '=', uuid), eb('state', '=', 'pending'), eb('attempts', '=', attempts)]
      return and(same)
    })
    .execute()
}
