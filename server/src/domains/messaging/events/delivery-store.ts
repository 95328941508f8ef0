import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { type Entity, fromRow, type RowOf, takeFirst } from '../../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../../platform/db/page.ts'
import { uuidOf, uuidOrNull } from '../../../platform/db/values.ts'
import { DELIVERY_LIFETIME_MS, type DeliveryState } from './webhook.ts'

const COLUMNS = [
  'id',
  'webhook_id',
  'type',
  'state',
  'attempts',
  'next_attempt_at',
  'last_status',
  'last_failure',
  'created_at',
  'ended_at',
] as const

export type Delivery = Entity<'webhook_delivery', (typeof COLUMNS)[number]>

const toDelivery = (row: Pick<RowOf<'webhook_delivery'>, (typeof COLUMNS)[number]>): Delivery =>
  fromRow(row, { id: 'dlv', webhook_id: 'whk' })

/** The webhook of the deliveries. The caller has checked that it exists. */
export interface DeliveryOwner {
  readonly workspaceId: string
  readonly webhookId: string
}

/** Newest first. Undefined when the cursor is not an id. */
export async function listDeliveries(
  db: Db,
  { workspaceId, webhookId }: DeliveryOwner,
  { state, ...page }: PageRequest & { readonly state?: DeliveryState },
): Promise<Page<Delivery> | undefined> {
  let query = db
    .selectFrom('webhook_delivery')
    .select(COLUMNS)
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), webhook_id: uuidOf('whk', webhookId) }))
  if (state !== undefined) query = query.where('state', '=', state)
  // Repeats the predicate of the partial index, so that prepared plans can use it.
  if (state !== undefined && state !== 'delivered') query = query.where('state', '<>', sql.lit('delivered'))
  return pageById(query, 'dlv', page, toDelivery, { order: 'desc' })
}

/** Makes deliveries due again, in any state and under the same ids. */
const replay = (tx: Tx, { workspaceId, webhookId }: DeliveryOwner, now: Date) =>
  tx
    .updateTable('webhook_delivery')
    .set({
      state: 'pending',
      attempts: 0,
      next_attempt_at: now,
      give_up_at: new Date(now.getTime() + DELIVERY_LIFETIME_MS),
      ended_at: null,
    })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), webhook_id: uuidOf('whk', webhookId) }))

export async function replayDelivery(tx: Tx, owner: DeliveryOwner, id: string, now: Date): Promise<Delivery | undefined> {
  const uuid = uuidOrNull('dlv', id)
  return replay(tx, owner, now).where('id', '=', uuid).returning(COLUMNS).$call(takeFirst(toDelivery))
}

export async function replayDeadDeliveries(tx: Tx, owner: DeliveryOwner, now: Date): Promise<number> {
  const { numUpdatedRows } = await replay(tx, owner, now).where('state', '=', 'dead').executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function removeEndedDeliveries(db: Db, state: 'delivered' | 'dead', before: Date, most: number): Promise<number> {
  const old = db.selectFrom('webhook_delivery').select('id').where('state', '=', state).where('ended_at', '<', before).limit(most)
  const { numDeletedRows } = await db
    .deleteFrom('webhook_delivery')
    .where('id', 'in', old)
    .where('state', '=', state)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
