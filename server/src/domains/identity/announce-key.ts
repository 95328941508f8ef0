import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { toId } from '../../platform/lib/id.ts'
import { announce } from '../../platform/queue/outbox.ts'
import type { GovernanceEventType, KeyPayload } from '../../shared/governance-event.ts'
import { type ApiKey, keyOf } from './api-key.ts'

const DAY_MS = 86_400_000
/** How long before its expiry a key is announced. */
const NOTICE_MS = 7 * DAY_MS

/** Announces a change of a key, in its transaction. The payload never holds a part of the key. */
export const announceKey = (
  tx: Db,
  workspaceId: string,
  type: GovernanceEventType & `key.${string}`,
  key: Omit<ApiKey, 'hint'>,
): Promise<void> => announce(tx, workspaceId, type, payloadOf(key))

const payloadOf = (key: Omit<ApiKey, 'hint'>): KeyPayload => ({
  id: key.id,
  object: 'api_key',
  name: key.name,
  application_id: key.applicationId,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
  replaced_by: key.replacedBy,
})

/**
 * Announces up to `most` keys that expire within seven days, each once. Keys that were replaced, or created for a shorter time, are left
 * out. Returns how many.
 */
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
  const rows = await tx.updateTable('api_key').set({ expiry_announced_at: now }).where('id', 'in', due).returningAll().execute()
  for (const row of rows) await announceKey(tx, toId('ws', row.workspace_id), 'key.expiring', keyOf(row))
  return rows.length
}
