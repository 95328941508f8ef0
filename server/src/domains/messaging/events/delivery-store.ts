import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { type Page, type PageRequest, pageById } from '../../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { fromId, toId } from '../../../platform/lib/id.ts'
import type { WebhookDeliveryTable } from './tables.ts'
import { DELIVERY_LIFETIME_MS, type Delivery, type DeliveryState } from './webhook.ts'

const toDelivery = (row: Selectable<WebhookDeliveryTable>): Delivery => ({
  id: toId('dlv', row.id),
  webhookId: toId('whk', row.webhook_id),
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at,
  lastStatus: row.last_status,
  lastFailure: row.last_failure,
  createdAt: row.created_at,
  endedAt: row.ended_at,
})

/** Newest first. Undefined when the cursor is not an id. */
export async function listDeliveries(
  db: Db,
  owner: DeliveryOwner,
  { state, ...page }: PageRequest & { readonly state?: DeliveryState },
): Promise<Page<Delivery> | undefined> {
  let query = db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('workspace_id', '=', uuidOfWorkspace(owner.workspaceId))
    .where('webhook_id', '=', uuidOfWebhook(owner))
  if (state !== undefined) query = query.where('state', '=', state)
  // Repeats the predicate of the partial index, so that prepared plans can use it.
  if (state !== undefined && state !== 'delivered') query = query.where('state', '<>', sql.lit('delivered'))
  return pageById(query, 'dlv', page, toDelivery, { order: 'desc' })
}

/** The webhook of the deliveries. The caller has checked that it exists. */
export interface DeliveryOwner {
  readonly workspaceId: string
  readonly webhookId: string
}

const uuidOfWebhook = ({ webhookId }: DeliveryOwner): string => fromId('whk', webhookId) as string

const replayed = (now: Date) => ({
  state: 'pending' as const,
  attempts: 0,
  next_attempt_at: now,
  give_up_at: new Date(now.getTime() + DELIVERY_LIFETIME_MS),
  ended_at: null,
})

/** Makes a delivery due again, in any state and under the same id. Undefined when it does not exist. */
export async function replayDelivery(tx: Tx, owner: DeliveryOwner, id: string, now: Date): Promise<Delivery | undefined> {
  const uuid = fromId('dlv', id)
  if (uuid === undefined) return undefined
  const row = await tx
    .updateTable('webhook_delivery')
    .set(replayed(now))
    .where('workspace_id', '=', uuidOfWorkspace(owner.workspaceId))
    .where('webhook_id', '=', uuidOfWebhook(owner))
    .where('id', '=', uuid)
    .returningAll()
    .executeTakeFirst()
  return row && toDelivery(row)
}

/** Makes every dead delivery due again. Returns how many there were. */
export async function replayDeadDeliveries(tx: Tx, owner: DeliveryOwner, now: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_delivery')
    .set(replayed(now))
    .where('workspace_id', '=', uuidOfWorkspace(owner.workspaceId))
    .where('webhook_id', '=', uuidOfWebhook(owner))
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Removes up to `most` deliveries in that state that ended before that time. Returns how many were removed. */
export async function removeEndedDeliveries(db: Db, state: 'delivered' | 'dead', before: Date, most: number): Promise<number> {
  const old = db.selectFrom('webhook_delivery').select('id').where('state', '=', state).where('ended_at', '<', before).limit(most)
  const { numDeletedRows } = await db
    .deleteFrom('webhook_delivery')
    .where('id', 'in', old)
    .where('state', '=', state)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
