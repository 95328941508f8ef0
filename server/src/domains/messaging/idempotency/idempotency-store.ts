import type { Db, Tx } from '../../../platform/db/database.ts'
import { hasRow } from '../../../platform/db/from-row.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import type { Member } from '../people/member.ts'

/** Keys expire after a day (MSG-IDEM-1). */
const LIFETIME_MS = 24 * 3_600_000
/** Status of a key whose request is in progress. Other transactions never see it. */
const IN_PROGRESS = 0

export interface StoredResponse {
  readonly status: number
  readonly body: string
}

export interface IdempotencyKey {
  readonly member: Member
  readonly key: string
  readonly fingerprint: Buffer
}

export const findResponse = (
  db: Db,
  { member, key }: IdempotencyKey,
  now: Date,
): Promise<(StoredResponse & { readonly fingerprint: Buffer }) | undefined> =>
  db
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'status', 'body'])
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(member.workspaceId), user_id: member.user.id, key }))
    .where('created_at', '>', new Date(now.getTime() - LIFETIME_MS))
    .executeTakeFirst()

/** Reserves the key for this transaction, after any other transaction with the key has ended. Returns false if the key is in use. */
export async function reserveKey(tx: Tx, { member, key, fingerprint }: IdempotencyKey, now: Date): Promise<boolean> {
  const values = { fingerprint, status: IN_PROGRESS, body: '', created_at: now }
  return tx
    .insertInto('idempotency_key')
    .values({ workspace_id: uuidOfWorkspace(member.workspaceId), user_id: member.user.id, key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'user_id', 'key'])
        .doUpdateSet(values)
        .where('idempotency_key.created_at', '<=', new Date(now.getTime() - LIFETIME_MS)),
    )
    .returning('key')
    .$call(hasRow)
}

export async function storeResponse(tx: Tx, { member, key }: IdempotencyKey, { status, body }: StoredResponse): Promise<void> {
  await tx
    .updateTable('idempotency_key')
    .set({ status, body, object_ids: objectIdsIn(body) })
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(member.workspaceId), user_id: member.user.id, key }))
    .execute()
}

/** Ids of the object in a response, of the objects that contain it and of its attachments. */
function objectIdsIn(body: string): string[] | null {
  if (!body.startsWith('{')) return null
  const { id, conversation_id, group_id, message_id, attachments } = JSON.parse(body) as Readonly<Record<string, unknown>>
  const attachmentIds = Array.isArray(attachments) ? attachments.map((attachment: { id?: unknown }) => attachment.id) : []
  const ids = [id, conversation_id, group_id, message_id, ...attachmentIds].filter((value) => typeof value === 'string')
  return ids.length > 0 ? [...new Set(ids)] : null
}

export async function deleteExpiredKeys(db: Db, now: Date, limit: number): Promise<number> {
  const expired = db
    .selectFrom('idempotency_key')
    .select(['workspace_id', 'user_id', 'key'])
    .where('created_at', '<=', new Date(now.getTime() - LIFETIME_MS))
    .limit(limit)
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_key')
    .where(({ eb, refTuple }) =>
      eb(refTuple('workspace_id', 'user_id', 'key'), 'in', expired.$asTuple('workspace_id', 'user_id', 'key')),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
