import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { fromId, toId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { parseFree } from '../../shared/free-json.ts'
import type { Application } from '../../shared/principal.ts'
import type { NewStoredContent, StoredContent } from '../../shared/stored-content.ts'

/** The only caller that can read or continue a stored response. A verified and an asserted user with the same id are two owners, as for holds. */
export interface ResponseOwner {
  readonly workspaceId: string
  readonly applicationId: string
  /** Empty: the request named no user. */
  readonly userId: string
  readonly isVerified: boolean
}

export interface StoredResponse {
  readonly id: string
  readonly content: StoredContent
}

const DAY_MS = 86_400_000

/** Responses that were stored at this time or earlier have expired. A changed retention applies to stored responses as well. */
export const expiryLimit = ({ settings }: Pick<Application, 'settings'>, now: Date): Date =>
  new Date(now.getTime() - settings.responses.retention_days * DAY_MS)

/** Stores a response. A response that is stored already, because its release is sent again, stays as it is. */
export async function storeResponse(
  tx: Tx,
  owner: ResponseOwner,
  { stored, previousId, createdAt }: { stored: NewStoredContent; previousId: string | undefined; createdAt: Date },
  box: SecretBox,
): Promise<void> {
  const { id, input, response } = stored
  const content = JSON.stringify({ input, response } satisfies StoredContent)
  await tx
    .insertInto('stored_response')
    .values({
      id: uuidOf('resp', id),
      ...ownedBy(owner),
      previous_id: previousId === undefined ? null : uuidOf('resp', previousId),
      content: box.seal(content, responseContext(id)),
      bytes: Buffer.byteLength(content),
      created_at: createdAt,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Undefined if the owner has no such response, or if it was stored at `expired` or earlier. */
export async function findStoredResponse(
  db: Db,
  owner: ResponseOwner,
  id: string,
  expired: Date,
  box: SecretBox,
): Promise<StoredResponse | undefined> {
  const row = await db
    .selectFrom('stored_response')
    .select('content')
    .where(({ and }) => and(ownedBy(owner)))
    .where('id', '=', uuidOrNull('resp', id))
    .where('created_at', '>', expired)
    .executeTakeFirst()
  return row && { id, content: open(box, id, row.content) }
}

export interface ConversationLimits {
  /** Of the contents together. */
  readonly maxBytes: number
  readonly maxResponses: number
}

export type StoredConversation =
  | { readonly kind: 'found'; readonly contents: readonly StoredContent[] }
  /** The owner has no such response, or a response that it continues was deleted or has expired. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_large' }

/** The contents of a response and of all that it continues, oldest first. At most one content above the limits is read. */
export async function loadConversation(
  db: Db,
  owner: ResponseOwner,
  id: string,
  { expired, maxBytes, maxResponses }: ConversationLimits & { readonly expired: Date },
  box: SecretBox,
): Promise<StoredConversation> {
  const uuid = fromId('resp', id)
  if (uuid === undefined) return { kind: 'missing' }
  const isReadable = sql`one.workspace_id = ${uuidOf('ws', owner.workspaceId)}
    and one.application_id = ${uuidOf('app', owner.applicationId)}
    and one.user_id = ${owner.userId} and one.user_verified = ${owner.isVerified} and one.created_at > ${expired}`
  const { rows } = await sql<{ id: string; previous_id: string | null; depth: number; total: string; content: Buffer }>`
    with recursive chain as (
      select one.id, one.previous_id, 1 as depth, one.bytes::bigint as total
      from stored_response as one where one.id = ${uuid} and ${isReadable}
      union all
      select one.id, one.previous_id, chain.depth + 1, chain.total + one.bytes
      from chain inner join stored_response as one on one.id = chain.previous_id
      where chain.total <= ${maxBytes} and chain.depth <= ${maxResponses} and ${isReadable}
    )
    select chain.*, stored.content from chain inner join stored_response as stored on stored.id = chain.id
    order by chain.depth desc`.execute(db)
  const [oldest] = rows
  if (!oldest) return { kind: 'missing' }
  if (Number(oldest.total) > maxBytes || oldest.depth > maxResponses) return { kind: 'too_large' }
  if (oldest.previous_id !== null) return { kind: 'missing' }
  return { kind: 'found', contents: rows.map((row) => open(box, toId('resp', row.id), row.content)) }
}

export async function deleteStoredResponse(tx: Tx, owner: ResponseOwner, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('stored_response')
    .where(({ and }) => and(ownedBy(owner)))
    .where('id', '=', uuidOrNull('resp', id))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Erases the stored responses of a user, asserted or verified, in all Applications. Returns their number. */
export async function eraseResponsesOfUser(tx: Tx, workspaceId: string, userId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('stored_response')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

type ApplicationIds = Pick<ResponseOwner, 'workspaceId' | 'applicationId'>

/** Each response counts as at least this many bytes, which its row and its index entries take. */
const MIN_COUNTED_BYTES = 4_096

/** Bytes that the stored responses of an Application count as, expired ones included until they are removed. */
export async function sumStoredBytes(db: Db, { workspaceId, applicationId }: ApplicationIds): Promise<number> {
  const row = await db
    .selectFrom('stored_response')
    .select(sql<string | null>`sum(greatest(bytes, ${sql.lit(MIN_COUNTED_BYTES)}))`.as('total'))
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('application_id', '=', uuidOf('app', applicationId))
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}

export async function listStoringApplications(db: Db): Promise<ApplicationIds[]> {
  const rows = await db
    .selectFrom('application')
    .select(['id', 'workspace_id'])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('stored_response')
          .select('stored_response.id')
          .whereRef('stored_response.workspace_id', '=', 'application.workspace_id')
          .whereRef('stored_response.application_id', '=', 'application.id'),
      ),
    )
    .execute()
  return rows.map((row) => ({ workspaceId: toId('ws', row.workspace_id), applicationId: toId('app', row.id) }))
}

/** Removes at most `limit` responses that were stored at `expired` or earlier. Returns how many; fewer than `limit`: none are left. */
export async function removeExpiredResponses(
  db: Db,
  { workspaceId, applicationId }: ApplicationIds,
  expired: Date,
  limit: number,
): Promise<number> {
  const due = db
    .selectFrom('stored_response')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('application_id', '=', uuidOf('app', applicationId))
    .where('created_at', '<=', expired)
    .orderBy('created_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  const { numDeletedRows } = await db.deleteFrom('stored_response').where('id', 'in', due).executeTakeFirst()
  return Number(numDeletedRows)
}

const ownedBy = ({ workspaceId, applicationId, userId, isVerified }: ResponseOwner) => ({
  workspace_id: uuidOf('ws', workspaceId),
  application_id: uuidOf('app', applicationId),
  user_id: userId,
  user_verified: isVerified,
})

/** The context that a stored response is sealed with: content copied to another row cannot be opened. */
export const responseContext = (id: string): string => `${id} stored response`

/** Throws if the bytes were changed, moved or sealed under another key. */
const open = (box: SecretBox, id: string, sealed: Uint8Array): StoredContent =>
  parseFree(box.open(sealed, responseContext(id))) as StoredContent
