import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { type Entity, fromRow, type RowOf } from '../../platform/db/from-row.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { parseFree } from '../../shared/free-json.ts'
import { type ReviewOpener, type ReviewState, stateAt } from './review.ts'

/** All columns except the sealed ones, which can hold a megabyte. */
export const ITEM_COLUMNS = [
  'id',
  'workspace_id',
  'application_id',
  'message_id',
  'kind',
  'state',
  'point',
  'endpoint',
  'user_id',
  'session_id',
  'request_hash',
  'rules',
  'findings',
  'classification',
  'risk_level',
  'policy',
  'model',
  'audit_id',
  'released_audit_id',
  'successor_id',
  'created_at',
  'expires_at',
  'decided_by',
  'decided_at',
  'comment',
  'release_started_at',
  'released_at',
  'key_id',
  'key_issuers',
  'assigned_to',
  'assigned_for',
  'required_approvals',
  'approvals',
  'question',
  'asked_by',
  'asked_at',
] as const satisfies readonly (keyof Schema['review_item'])[]

export type ItemRow = Pick<RowOf<'review_item'>, (typeof ITEM_COLUMNS)[number]>

/** Without its content. `state` is that at the time of reading ({@link stateAt}); the stored one may be older. */
export type ReviewItem = Entity<'review_item', (typeof ITEM_COLUMNS)[number]>

/** New `state` of an item that expires: a pending or approved item becomes expired, a final state stays. */
export const expireIfOpen = sql<ReviewState>`case when state in ('pending', 'approved') then 'expired' else state end`

export const toItem = (row: ItemRow, now: Date): ReviewItem => ({
  ...fromRow(row),
  id: toId('rev', row.id),
  state: stateAt({ state: row.state, expiresAt: row.expires_at }, now),
  workspaceId: toId('ws', row.workspace_id),
  applicationId: row.application_id && toId('app', row.application_id),
  messageId: row.message_id && toId('msg', row.message_id),
  auditId: toId('aud', row.audit_id),
  releasedAuditId: row.released_audit_id && toId('aud', row.released_audit_id),
  successorId: row.successor_id && toId('rev', row.successor_id),
  keyId: row.key_id && toId('key', row.key_id),
})

export const itemOf = (db: Db, workspaceId: string, id: string) =>
  itemsOf(db, workspaceId).where('id', '=', uuidOrNull('rev', id))

export const holdsOf = (db: Db, { workspaceId, applicationId }: ReviewOpener) =>
  itemsOf(db, workspaceId)
    .where((where) =>
      applicationId === null ? where('application_id', 'is', null) : where('application_id', '=', uuidOf('app', applicationId)),
    )
    .where('kind', '=', 'hold')

export const pendingHolds = (db: Db, owner: ReviewOpener, now: Date) =>
  holdsOf(db, owner).where('state', '=', 'pending').where('expires_at', '>', now)

export const pendingItems = (db: Db, workspaceId: string, now: Date) =>
  itemsOf(db, workspaceId).where('state', '=', 'pending').where('expires_at', '>', now)

export const itemsOf = (db: Db, workspaceId: string) =>
  db.selectFrom('review_item').where('workspace_id', '=', uuidOf('ws', workspaceId))

export const reviewContext = (id: string, part: 'content' | 'result'): string => `${id} ${part}`

/** Encrypts JSON for one item and column; copied to another item or column it cannot be decrypted. */
export const seal = (box: SecretBox, id: string, part: 'content' | 'result', value: unknown): Buffer =>
  box.seal(JSON.stringify(value), reviewContext(id, part))

/** Throws if the bytes were changed, moved or sealed under another key. */
export const unseal = <T>(box: SecretBox, id: string, part: 'content' | 'result', sealed: Uint8Array): T =>
  parseFree(box.open(sealed, reviewContext(id, part))) as T
