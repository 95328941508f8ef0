import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { type Page, type PageRequest, pageById } from '../db/page.ts'
import { uuidOfWorkspace } from '../db/values.ts'
import { newCredential } from '../lib/credential.ts'
import { fromId, newUuid, toId } from '../lib/id.ts'
import type { ApiKey } from './api-key.ts'
import type { ApplicationRecord } from './application.ts'
import { APPLICATION_COLUMNS, applicationOf } from './application-store.ts'
import type { ApiKeyTable } from './tables.ts'

/** The Application that owns keys. TypeIDs. */
export interface KeyOwner {
  readonly workspaceId: string
  readonly applicationId: string
}

const keyOf = (row: Selectable<ApiKeyTable>): ApiKey => ({
  id: toId('key', row.id),
  applicationId: toId('app', row.application_id),
  name: row.name,
  hint: row.hint,
  issuedBy: row.issued_by,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
})

/**
 * Issues a key. `key` is not stored. Returns undefined if the Workspace has no such Application. `issuer`: see `ApiKey.issuedBy`.
 */
export async function issueKey(
  db: Db,
  { workspaceId, applicationId }: KeyOwner,
  name: string,
  now: Date,
  issuer: string | null = null,
): Promise<(ApiKey & { readonly key: string }) | undefined> {
  const application = fromId('app', applicationId)
  if (application === undefined) return undefined
  const { secret, hash, hint } = newCredential('gk_')
  const row = await db
    .insertInto('api_key')
    .columns([
      'id',
      'workspace_id',
      'application_id',
      'name',
      'hash',
      'hint',
      'issued_by',
      'created_at',
      'revoked_at',
      'last_used_at',
    ])
    .expression(
      db
        .selectFrom('application')
        .select([
          sql<string>`${newUuid()}::uuid`.as('id'),
          'workspace_id',
          'id as application_id',
          sql<string>`${name}::text`.as('name'),
          sql<Buffer>`${hash}::bytea`.as('hash'),
          sql<string>`${hint}::text`.as('hint'),
          sql<string | null>`${issuer}::text`.as('issued_by'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
          sql<null>`null::timestamptz`.as('revoked_at'),
          sql<null>`null::timestamptz`.as('last_used_at'),
        ])
        .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
        .where('id', '=', application),
    )
    .returningAll()
    .executeTakeFirst()
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
  return row && keyOf(row)
}

/** Oldest first, with revoked keys. Returns undefined if `page.after` or the Application's id is not an id. */
export async function listKeys(
  db: Db,
  { workspaceId, applicationId }: KeyOwner,
  page: PageRequest,
): Promise<Page<ApiKey> | undefined> {
  const application = fromId('app', applicationId)
  if (application === undefined) return undefined
  const query = db
    .selectFrom('api_key')
    .selectAll()
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('application_id', '=', application)
  return pageById(query, 'key', page, keyOf)
}

/** A key with its Application. Found without an owner, because the key identifies the owner. */
export interface ApplicationKey {
  /** `key_…` */
  readonly keyId: string
  readonly hash: Buffer
  readonly issuedBy: string | null
  readonly revokedAt: Date | null
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
      USE_OUTDATED.as('is_use_outdated'),
    ])
    .where('api_key.hash', '=', hash)
    .executeTakeFirst()
  if (!row) return undefined
  const { key_id, hash: stored, issued_by: issuedBy, revoked_at: revokedAt, is_use_outdated: isUseOutdated } = row
  return { keyId: toId('key', key_id), hash: stored, issuedBy, revokedAt, isUseOutdated, application: applicationOf(row) }
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
