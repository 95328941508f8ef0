import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { jsonOrNull, uuidOf, uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { LAST_TIME } from '../../platform/lib/clock.ts'
import { type NewCredential, newCredential } from '../../platform/lib/credential.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import { announce } from '../../platform/queue/outbox.ts'
import type { GovernanceEventType } from '../../shared/governance-event.ts'
import { type ApiKey, type ApiKeyPatch, countedIdOf, KEY_COLUMNS, keyOf, restrictionOf } from './api-key.ts'
import type { ApplicationRecord } from './application.ts'
import { APPLICATION_COLUMNS, applicationOf, lockApplication } from './application-store.ts'
import { patchLimits } from './restriction.ts'
import { restrictionOfTeam } from './team.ts'

export interface KeyOwner {
  readonly workspaceId: string
  readonly applicationId: string
}

type IssuedKey = ApiKey & { readonly key: string }

interface KeyOptions {
  readonly issuer?: string | null
  readonly expiresAt?: Date | null
  readonly credential?: NewCredential
  readonly fields?: KeyFields
  /** The new key has its limits, models, tags, metadata and team, and shares its counters. */
  readonly replaces?: ApiKey | undefined
}

type KeyFields = Pick<ApiKeyPatch, 'limits'> &
  Partial<{ [K in 'models' | 'tags' | 'metadata']: ApiKey[K] | null } & { teamId: string | null }>

export async function issueKey(db: Db, owner: KeyOwner, name: string, now: Date, options: KeyOptions = {}) {
  const issued = await insertKey(db, owner, name, now, options)
  if (issued) await announceKey(db, owner.workspaceId, 'key.created', issued)
  return issued
}

async function insertKey(
  db: Db,
  { workspaceId, applicationId }: KeyOwner,
  name: string,
  now: Date,
  { issuer = null, expiresAt = null, credential = newCredential('gk_'), replaces, fields = replaces ?? {} }: KeyOptions,
): Promise<IssuedKey | undefined> {
  const application = fromId('app', applicationId)
  if (application === undefined) return undefined
  const { secret, hash, hint } = credential
  const { rows } = await sql<Parameters<typeof keyOf>[0]>`
    insert into api_key (id, workspace_id, application_id, name, hash, hint, issued_by, created_at, expires_at, limits, models, tags, metadata, team_id, counted_as)
    select ${newUuid()}::uuid, workspace_id, id, ${name}::text, ${hash}::bytea, ${hint}::text, ${issuer}::text, ${now}::timestamptz,
      ${expiresAt}::timestamptz, ${JSON.stringify(patchLimits({}, fields.limits))}::jsonb, ${jsonOrNull(fields.models)}::jsonb,
      ${JSON.stringify(fields.tags ?? [])}::jsonb, ${JSON.stringify(fields.metadata ?? {})}::jsonb, ${fields.teamId ? uuidOf('tea', fields.teamId) : null}::uuid,
      ${replaces ? uuidOf('key', countedIdOf(replaces)) : null}::uuid
    from application where workspace_id = ${uuidOfWorkspace(workspaceId)} and id = ${application} and archived_at is null
    for share
    returning ${sql.join(KEY_COLUMNS.map((column) => sql.ref(column)))}`.execute(db)
  const [row] = rows
  return row && { ...keyOf(row), key: secret }
}

/** Revokes all keys of an Application and returns the ids of those that were valid. Publish the topic `applications` after the commit. */
export async function revokeKeys(tx: Tx, { workspaceId, applicationId }: KeyOwner, now: Date): Promise<readonly string[]> {
  const valid = keysIn(tx, workspaceId)
    .where('application_id', '=', uuidOrNull('app', applicationId))
    .where('revoked_at', 'is', null)
  const ids = (await valid.orderBy('id').execute()).map(({ id }) => toId('key', id))
  for (const id of ids) await revokeKey(tx, workspaceId, id, now)
  return ids
}

/**
 * Revokes a key; revoking it again changes nothing. Returns undefined if the Workspace has no such key. Publish the topic `keys`
 * after the commit. A node that misses the signal sees the revocation within a second.
 */
export async function revokeKey(db: Db, workspaceId: string, id: string, now: Date): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now}::timestamptz)` })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('key', id))
    .returning(KEY_COLUMNS)
    .executeTakeFirst()
  const key = row && keyOf(row)
  if (key?.revokedAt?.getTime() === now.getTime()) await announceKey(db, workspaceId, 'key.revoked', key)
  return key
}

/** Merges a patch, whose team exists, into a key. Locks the row, so that concurrent patches are all kept. Publish the topic `keys`. */
export async function updateKey(tx: Tx, workspaceId: string, id: string, patch: ApiKeyPatch): Promise<ApiKey | undefined> {
  const key = await keysIn(tx, workspaceId).where('id', '=', uuidOrNull('key', id)).forUpdate().executeTakeFirst()
  return (
    key &&
    tx
      .updateTable('api_key')
      .set({
        ...(patch.name !== undefined && { name: patch.name }),
        limits: JSON.stringify(patchLimits(key.limits, patch.limits)),
        ...(patch.models !== undefined && { models: jsonOrNull(patch.models) }),
        ...(patch.tags !== undefined && { tags: JSON.stringify(patch.tags ?? []) }),
        ...(patch.team_id !== undefined && { team_id: patch.team_id === null ? null : uuidOf('tea', patch.team_id) }),
        ...(patch.metadata !== undefined && { metadata: JSON.stringify(patch.metadata ?? {}) }),
      })
      .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
      .where('id', '=', key.id)
      .returning(KEY_COLUMNS)
      .$call(takeFirst(keyOf))
  )
}

export const findKey = (db: Db, workspaceId: string, id: string): Promise<ApiKey | undefined> =>
  keysIn(db, workspaceId).where('id', '=', uuidOrNull('key', id)).$call(takeFirst(keyOf))

/** The id under which budgets count a key. An id that the Workspace does not have stays. */
export async function findCountedId(db: Db, workspaceId: string, id: string): Promise<string> {
  const key = await findKey(db, workspaceId, id)
  return key ? countedIdOf(key) : id
}

const keysIn = (db: Db, workspaceId: string) =>
  db.selectFrom('api_key').select(KEY_COLUMNS).where('workspace_id', '=', uuidOfWorkspace(workspaceId))

interface KeyFilter {
  readonly team_id?: string | undefined
  readonly tag?: string | undefined
}

/** Oldest first, with revoked keys. Returns undefined if `page.after` or the Application's id is not an id. */
export async function listKeys(
  db: Db,
  { workspaceId, applicationId }: KeyOwner,
  page: PageRequest,
  { team_id, tag }: KeyFilter = {},
): Promise<Page<ApiKey> | undefined> {
  const application = fromId('app', applicationId)
  if (application === undefined) return undefined
  const keys = keysIn(db, workspaceId)
    .where('application_id', '=', application)
    .$if(team_id !== undefined, (query) => query.where('team_id', '=', uuidOrNull('tea', team_id ?? '')))
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`tags ? ${tag}::text`))
  return pageById(keys, 'key', page, keyOf)
}

/** Oldest first, with revoked keys. Undefined if `page.after` is not an id. */
export const listTeamKeys = (db: Db, workspaceId: string, teamId: string, page: PageRequest): Promise<Page<ApiKey> | undefined> =>
  pageById(keysIn(db, workspaceId).where('team_id', '=', uuidOrNull('tea', teamId)), 'key', page, keyOf)

/** A key with its Application. Found without an owner, because the key identifies the owner. */
export interface ApplicationKey {
  readonly keyId: string
  readonly hash: Buffer
  readonly issuedBy: string | null
  readonly revokedAt: Date | null
  readonly expiresAt: Date | null
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
    .leftJoin('team', (join) =>
      join.onRef('team.id', '=', 'api_key.team_id').onRef('team.workspace_id', '=', 'api_key.workspace_id'),
    )
    .select(APPLICATION_COLUMNS)
    .select([
      'api_key.id as key_id',
      'api_key.counted_as',
      'api_key.hash',
      'api_key.issued_by',
      'api_key.revoked_at',
      'api_key.expires_at',
      'api_key.limits as key_limits',
      'api_key.models as key_models',
      'team.id as team_id',
      'team.name as team_name',
      'team.limits as team_limits',
      'team.models as team_models',
      'team.members as team_members',
      USE_OUTDATED.as('is_use_outdated'),
    ])
    .where('api_key.hash', '=', hash)
    .executeTakeFirst()
  if (!row) return undefined
  const keyId = toId('key', row.key_id)
  const countedKeyId = row.counted_as ? toId('key', row.counted_as) : keyId
  const restrictions = [
    restrictionOf({ id: countedKeyId, limits: row.key_limits, models: row.key_models }),
    row.team_id === null
      ? undefined
      : restrictionOfTeam({
          id: toId('tea', row.team_id),
          name: row.team_name ?? '',
          limits: row.team_limits ?? {},
          models: row.team_models,
          members: row.team_members,
        }),
  ].filter((restriction) => restriction !== undefined)
  return {
    keyId,
    hash: row.hash,
    issuedBy: row.issued_by,
    revokedAt: row.revoked_at,
    expiresAt: row.expires_at,
    isUseOutdated: row.is_use_outdated,
    application: { ...applicationOf(row), countedKeyId, ...(restrictions.length > 0 && { restrictions }) },
  }
}

export async function recordKeyUse(db: Db, workspaceId: string, keyId: string): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ last_used_at: sql<Date>`now()` })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('key', keyId))
    .where(USE_OUTDATED)
    .execute()
}

interface Rotation {
  /** The replaced key expires then, unless it expires earlier. */
  readonly overlapUntil: Date
  /** Default: the new key is valid for as long as the replaced one was from its creation. */
  readonly expiresAt?: Date | undefined
  readonly issuer: string | null
}

export type RotatedKey =
  | { readonly ok: true; readonly issued: IssuedKey }
  | { readonly ok: false; readonly reason: 'not_found' | 'revoked' | 'expired' | 'replaced' }

/** Issues a key with the same limits in place of another, once, so that a repeated request issues no second key. Publish the topic `keys`. */
export async function rotateKey(tx: Tx, workspaceId: string, id: string, rotation: Rotation, now: Date): Promise<RotatedKey> {
  const uuid = uuidOrNull('key', id)
  const found = await findKey(tx, workspaceId, id)
  if (found) await lockApplication(tx, workspaceId, found.applicationId)
  const key = await keysIn(tx, workspaceId).where('id', '=', uuid).forUpdate().executeTakeFirst()
  if (!key) return { ok: false, reason: 'not_found' }
  if (key.revoked_at) return { ok: false, reason: 'revoked' }
  if (key.replaced_by) return { ok: false, reason: 'replaced' }
  if (key.expires_at && key.expires_at <= now) return { ok: false, reason: 'expired' }
  const { overlapUntil, issuer } = rotation
  const lifetimeMs = key.expires_at && key.expires_at.getTime() - key.created_at.getTime()
  const expiresAt =
    rotation.expiresAt ?? (lifetimeMs === null ? null : new Date(Math.min(now.getTime() + lifetimeMs, LAST_TIME.getTime())))
  const owner = { workspaceId, applicationId: toId('app', key.application_id) }
  const issued = await insertKey(tx, owner, key.name, now, { issuer, expiresAt, replaces: keyOf(key) })
  if (!issued) return { ok: false, reason: 'not_found' }
  const replaced = await tx
    .updateTable('api_key')
    .set({
      replaced_by: fromId('key', issued.id) ?? '',
      expires_at: sql<Date>`least(expires_at, ${overlapUntil}::timestamptz)`,
    })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuid)
    .returning(KEY_COLUMNS)
    .executeTakeFirstOrThrow()
  await announceKey(tx, workspaceId, 'key.rotated', keyOf(replaced))
  return { ok: true, issued }
}

/** Announces a change of a key, in its transaction. The payload never holds a part of the key. */
const announceKey = (tx: Db, workspaceId: string, type: GovernanceEventType & `key.${string}`, key: ApiKey): Promise<void> =>
  announce(tx, workspaceId, type, {
    id: key.id,
    object: 'api_key',
    name: key.name,
    application_id: key.applicationId,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    replaced_by: key.replacedBy,
  })

const NOTICE_MS = 7 * 86_400_000

/** Announces keys that expire within seven days, each once, without replaced and short-lived ones. Returns how many. */
export async function announceExpiringKeys(tx: Tx, now: Date, most: number): Promise<number> {
  const due = tx
    .selectFrom('api_key')
    .select('id')
    .where('expires_at', '>', now)
    .where('expires_at', '<=', new Date(now.getTime() + NOTICE_MS))
    .where('revoked_at', 'is', null)
    .where('replaced_by', 'is', null)
    .where('expiry_announced_at', 'is', null)
    .where(sql<boolean>`expires_at - created_at > interval '7 days'`)
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .skipLocked()
  const announced = tx.updateTable('api_key').set({ expiry_announced_at: now }).where('id', 'in', due)
  const rows = await announced.returning([...KEY_COLUMNS, 'workspace_id']).execute()
  for (const { workspace_id, ...key } of rows) await announceKey(tx, toId('ws', workspace_id), 'key.expiring', keyOf(key))
  return rows.length
}
