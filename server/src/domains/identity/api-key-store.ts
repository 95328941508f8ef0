import { type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { newCredential } from '../../platform/lib/credential.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import { announceKey } from './announce-key.ts'
import { type ApiKey, keyOf } from './api-key.ts'
import type { ApplicationRecord } from './application.ts'
import { APPLICATION_COLUMNS, applicationOf } from './application-store.ts'
import type { ApiKeyTable } from './tables.ts'

/** The Application that owns keys. TypeIDs. */
export interface KeyOwner {
  readonly workspaceId: string
  readonly applicationId: string
}

/** A key with its secret, which is not stored. */
export type IssuedKey = ApiKey & { readonly key: string }

interface KeyOptions {
  /** See `ApiKey.issuedBy`. */
  readonly issuer?: string | null
  readonly expiresAt?: Date | null
}

/** Issues a key. Returns undefined if the Workspace has no such Application. */
export async function issueKey(db: Db, owner: KeyOwner, name: string, now: Date, options: KeyOptions = {}) {
  const issued = await insertKey(db, owner, name, now, options)
  if (issued) await announceKey(db, owner.workspaceId, 'key.created', issued)
  return issued
}

/** The same without its announcement. */
export async function insertKey(
  db: Db,
  { workspaceId, applicationId }: KeyOwner,
  name: string,
  now: Date,
  { issuer = null, expiresAt = null }: KeyOptions,
): Promise<IssuedKey | undefined> {
  const application = fromId('app', applicationId)
  if (application === undefined) return undefined
  const { secret, hash, hint } = newCredential('gk_')
  const { rows } = await sql<Selectable<ApiKeyTable>>`
    insert into api_key (id, workspace_id, application_id, name, hash, hint, issued_by, created_at, expires_at)
    select ${newUuid()}::uuid, workspace_id, id, ${name}::text, ${hash}::bytea, ${hint}::text, ${issuer}::text, ${now}::timestamptz,
      ${expiresAt}::timestamptz
    from application where workspace_id = ${uuidOfWorkspace(workspaceId)} and id = ${application}
    returning *`.execute(db)
  const [row] = rows
  return row && { ...keyOf(row), key: secret }
}

/**
 * Revokes a key; revoking it again changes nothing. Returns undefined if the Workspace has no such key. Publish the topic `keys`
 * after the commit. A node that misses the signal sees the revocation within a second.
 */
export async function revokeKey(db: Db, workspaceId: string, id: string, now: Date): Promise<ApiKey | undefined> {
  const uuid = fromId('key', id)
  if (uuid === undefined) return undefined
  const row = await db
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now}::timestamptz)` })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuid)
    .returningAll()
    .executeTakeFirst()
  const key = row && keyOf(row)
  // A key that was already revoked keeps the time of its first revocation and is not announced again.
  if (key?.revokedAt?.getTime() === now.getTime()) await announceKey(db, workspaceId, 'key.revoked', key)
  return key
}

export async function findKey(db: Db, workspaceId: string, id: string): Promise<ApiKey | undefined> {
  const uuid = fromId('key', id)
  if (uuid === undefined) return undefined
  const row = await keysIn(db, workspaceId).where('id', '=', uuid).executeTakeFirst()
  return row && keyOf(row)
}

/** The keys of a Workspace. */
export const keysIn = (db: Db, workspaceId: string) =>
  db.selectFrom('api_key').selectAll().where('workspace_id', '=', uuidOfWorkspace(workspaceId))

/** Oldest first, with revoked keys. Returns undefined if `page.after` or the Application's id is not an id. */
export async function listKeys(
  db: Db,
  { workspaceId, applicationId }: KeyOwner,
  page: PageRequest,
): Promise<Page<ApiKey> | undefined> {
  const application = fromId('app', applicationId)
  if (application === undefined) return undefined
  return pageById(keysIn(db, workspaceId).where('application_id', '=', application), 'key', page, keyOf)
}

/** A key with its Application. Found without an owner, because the key identifies the owner. */
export interface ApplicationKey {
  /** `key_…` */
  readonly keyId: string
  readonly hash: Buffer
  readonly issuedBy: string | null
  readonly revokedAt: Date | null
  readonly expiresAt: Date | null
  /** Whether `last_used_at` is null or older than a minute. */
  readonly isUseOutdated: boolean
  readonly application: ApplicationRecord
}

const USE_OUTDATED = sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`

export async function findKeyByHash(db: Db, hash: Buffer): Promise<ApplicationKey | undefined> {
  const row = await db
    .selectFrom('api_key')
    .innerJoin('application', (join) =>
      join.onRef('application.id', '=', 'api_key.application_id').onRef('application.workspace_id', '=', 'api_key.workspace_id'),
    )
    .select(APPLICATION_COLUMNS)
    .select([
      'api_key.id as key_id',
      'api_key.hash',
      'api_key.issued_by',
      'api_key.revoked_at',
      'api_key.expires_at',
      USE_OUTDATED.as('is_use_outdated'),
    ])
    .where('api_key.hash', '=', hash)
    .executeTakeFirst()
  return (
    row && {
      keyId: toId('key', row.key_id),
      hash: row.hash,
      issuedBy: row.issued_by,
      revokedAt: row.revoked_at,
      expiresAt: row.expires_at,
      isUseOutdated: row.is_use_outdated,
      application: applicationOf(row),
    }
  )
}

/** Stores the time of the last use, at most once a minute. */
export async function recordKeyUse(db: Db, workspaceId: string, keyId: string): Promise<void> {
  const uuid = fromId('key', keyId)
  if (uuid === undefined) return
  await db
    .updateTable('api_key')
    .set({ last_used_at: sql<Date>`now()` })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuid)
    .where(USE_OUTDATED)
    .execute()
}
