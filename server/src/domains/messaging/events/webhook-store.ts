import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { type Entity, fromRow, hasRow, type RowOf, takeFirst } from '../../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../../platform/db/page.ts'
import { uuidOfWorkspace, uuidOrNull } from '../../../platform/db/values.ts'
import { newUuid, toId } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { findLogPosition } from './event-log-store.ts'

const SECRET_BYTES = 32

const COLUMNS = ['id', 'url', 'format', 'types', 'enabled', 'created_at', 'updated_at'] as const

export type Webhook = Entity<'webhook', (typeof COLUMNS)[number]>
export type WebhookFields = Pick<Webhook, 'url' | 'format' | 'types' | 'enabled'>

const toWebhook = (row: Pick<RowOf<'webhook'>, (typeof COLUMNS)[number]>): Webhook => fromRow(row, { id: 'whk' })

/** Creates a webhook that receives events from now on. `secret` cannot be read again later. */
export async function createWebhook(
  tx: Tx,
  workspaceId: string,
  { url, format, types, enabled }: WebhookFields,
  { box, now }: { readonly box: SecretBox; readonly now: Date },
): Promise<Webhook & { readonly secret: string }> {
  const id = newUuid()
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
  const { last } = await findLogPosition(tx, workspaceId)
  const row = await tx
    .insertInto('webhook')
    .values({
      id,
      workspace_id: uuidOfWorkspace(workspaceId),
      url,
      secret: box.seal(secret, toId('whk', id)),
      format,
      types: types && [...types],
      enabled,
      position: last,
      created_at: now,
      updated_at: now,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { ...toWebhook(row), secret }
}

export const findWebhook = (db: Db, workspaceId: string, id: string): Promise<Webhook | undefined> =>
  webhook(db, workspaceId, id).select(COLUMNS).$call(takeFirst(toWebhook))

export async function findWebhookTarget(db: Db, workspaceId: string, id: string, box: SecretBox) {
  const row = await webhook(db, workspaceId, id).select(['url', 'format', 'secret']).executeTakeFirst()
  return row && { url: row.url, format: row.format, secret: box.open(row.secret, id) }
}

/** Oldest first. Undefined when the cursor is not an id. */
export async function listWebhooks(db: Db, workspaceId: string, page: PageRequest): Promise<Page<Webhook> | undefined> {
  return pageById(webhooks(db, workspaceId).select(COLUMNS), 'whk', page, toWebhook)
}

/** A webhook that is enabled again does not receive the events of the time before. Undefined when it does not exist. */
export async function updateWebhook(
  tx: Tx,
  workspaceId: string,
  id: string,
  fields: Partial<WebhookFields>,
  now: Date,
): Promise<Webhook | undefined> {
  const stored = await webhook(tx, workspaceId, id).selectAll().forNoKeyUpdate().executeTakeFirst()
  if (!stored) return undefined
  const { url = stored.url, format = stored.format, types = stored.types, enabled = stored.enabled } = fields
  const position = enabled && !stored.enabled ? (await findLogPosition(tx, workspaceId)).last : stored.position
  const row = await tx
    .updateTable('webhook')
    .set({ url, format, types: types && [...types], enabled, position, updated_at: now })
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), id: stored.id }))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toWebhook(row)
}

export async function deleteWebhook(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('webhook')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('whk', id))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const hasEnabledWebhook = (db: Db): Promise<boolean> =>
  db.selectFrom('webhook').select('id').where('enabled', '=', true).limit(1).$call(hasRow)

const webhooks = (db: Db, workspaceId: string) =>
  db.selectFrom('webhook').where('workspace_id', '=', uuidOfWorkspace(workspaceId))

const webhook = (db: Db, workspaceId: string, id: string) => webhooks(db, workspaceId).where('id', '=', uuidOrNull('whk', id))
