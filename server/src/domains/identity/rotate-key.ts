import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { LAST_TIME } from '../../platform/lib/clock.ts'
import { fromId, toId } from '../../platform/lib/id.ts'
import { announceKey } from './announce-key.ts'
import { keyOf } from './api-key.ts'
import { type IssuedKey, insertKey, keysIn } from './api-key-store.ts'

interface Rotation {
  /** The replaced key expires then, unless it expires earlier. */
  readonly overlapUntil: Date
  /** Undefined: the new key is valid for as long as the replaced one was from its creation. */
  readonly expiresAt?: Date | undefined
  /** See `ApiKey.issuedBy`. */
  readonly issuer: string | null
}

export type RotatedKey =
  | { readonly ok: true; readonly issued: IssuedKey }
  | { readonly ok: false; readonly reason: 'not_found' | 'revoked' | 'expired' | 'replaced' }

/**
 * Issues a key with the name and Application of an existing key, which expires after the overlap. A key is replaced once, so that a
 * repeated request issues no second key. Publish the topic `keys` after the commit.
 */
export async function rotateKey(tx: Tx, workspaceId: string, id: string, rotation: Rotation, now: Date): Promise<RotatedKey> {
  const uuid = fromId('key', id)
  if (uuid === undefined) return { ok: false, reason: 'not_found' }
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
  const issued = await insertKey(tx, owner, key.name, now, { issuer, expiresAt })
  if (!issued) return { ok: false, reason: 'not_found' }
  const replaced = await tx
    .updateTable('api_key')
    .set({
      replaced_by: fromId('key', issued.id) ?? '',
      expires_at: sql<Date>`least(expires_at, ${overlapUntil}::timestamptz)`,
    })
    .where('workspace_id', '=', key.workspace_id)
    .where('id', '=', uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  await announceKey(tx, workspaceId, 'key.rotated', keyOf(replaced))
  return { ok: true, issued }
}
