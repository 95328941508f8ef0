import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { WebhookDeliveryTable } from '../../db/messaging-tables.ts'
import { type Page, type PageRequest, pageOf } from '../../db/page.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import { fromId, toId } from '../../lib/id.ts'
import { type Delivery, type DeliveryState, TRIED_MS } from './webhook.ts'

const deliveryOf = (row: Selectable<WebhookDeliveryTable>): Delivery => ({
  id: toId('dlv', row.id),
  webhookId: toId('whk', row.webhook_id),
  type: row.type,
  state: row.state as DeliveryState,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at,
  lastStatus: row.last_status,
  lastFailure: row.last_failure,
  createdAt: row.created_at,
  endedAt: row.ended_at,
})

/** Newest first. Undefined when `page.after` is no id. */
export async function listDeliveries(
  db: Db,
  owner: DeliveryOwner,
  { after: afterId, limit, state }: PageRequest & { readonly state?: DeliveryState },
): Promise<Page<Delivery> | undefined> {
  const after = afterId === undefined ? undefined : fromId('dlv', afterId)
  if (afterId !== undefined && after === undefined) return undefined
  let query = db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('workspace_id', '=', uuidOfWorkspace(owner.workspaceId))
    .where('webhook_id', '=', uuidOfWebhook(owner))
  if (state !== undefined) query = query.where('state', '=', state)
  if (after !== undefined) query = query.where('id', '<', after)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return pageOf(rows, limit, deliveryOf)
}

/** A webhook that is known to be there. */
export interface DeliveryOwner {
  readonly workspaceId: string
  readonly webhookId: string
}

const uuidOfWebhook = ({ webhookId }: DeliveryOwner): string => fromId('whk', webhookId) as string

const anew = (now: Date) => ({
  state: 'pending',
  attempts: 0,
  next_attempt_at: now,
  give_up_at: new Date(now.getTime() + TRIED_MS),
  ended_at: null,
})

/** Sends it once more, whatever became of it, with the same id. Undefined when there is none. */
export async function replayDelivery(tx: Tx, owner: DeliveryOwner, id: string, now: Date): Promise<Delivery | undefined> {
  const uuid = fromId('dlv', id)
  if (uuid === undefined) return undefined
  const row = await tx
    .updateTable('webhook_delivery')
    .set(anew(now))
    .where('workspace_id', '=', uuidOfWorkspace(owner.workspaceId))
    .where('webhook_id', '=', uuidOfWebhook(owner))
    .where('id', '=', uuid)
    .returningAll()
    .executeTakeFirst()
  return row && deliveryOf(row)
}

/** Sends every dead one once more; answers how many. */
export async function replayDead(tx: Tx, owner: DeliveryOwner, now: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_delivery')
    .set(anew(now))
    .where('workspace_id', '=', uuidOfWorkspace(owner.workspaceId))
    .where('webhook_id', '=', uuidOfWebhook(owner))
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Removes up to `most` deliveries in that state which ended before that time; answers how many. */
export async function removeEnded(db: Db, state: 'delivered' | 'dead', before: Date, most: number): Promise<number> {
  const old = db.selectFrom('webhook_delivery').select('id').where('state', '=', state).where('ended_at', '<', before).limit(most)
  const { numDeletedRows } = await db
    .deleteFrom('webhook_delivery')
    .where('id', 'in', old)
    .where('state', '=', state)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
