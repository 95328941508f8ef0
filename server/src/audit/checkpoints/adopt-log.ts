import type { Db } from '../../db/database.ts'
import { uuidOf } from '../../db/values.ts'
import { findChainEnd } from '../audit-store.ts'
import { verifyWorkspace } from '../verify/verify.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { checkpointHash } from './checkpoint.ts'
import { findLatestCheckpoint } from './checkpoint-store.ts'
import { createFirstSeal, readSeal, writeSeal } from './log-seal.ts'
import { AuditTamperedError } from './verified-seal.ts'

/** Result of the adoption of an unsealed log: records covered by a checkpoint, and newer records. */
export interface AdoptedLog {
  readonly signedThrough: number
  readonly newer: number
}

/** Log message for an adoption. */
export const ADOPTION_MESSAGE = 'the audit log was written by an older version and verifies; it is now sealed with the secret key'

/**
 * Seals a log written by a version without seals, once. First verifies it from its first record to its last checkpoint. Throws
 * AuditTamperedError when the verification fails, or when the log has records and no checkpoint. Returns undefined for a sealed
 * log.
 */
export async function adoptLog(db: Db, workspaceId: string, keys: WorkspaceKeys, now: Date): Promise<AdoptedLog | undefined> {
  if ((await readSeal(db, workspaceId, keys)).kind !== 'none') return undefined
  const { firstFault } = await verifyWorkspace(db, workspaceId, keys)
  if (firstFault) throw new AuditTamperedError(workspaceId, firstFault)
  return db.transaction().execute(async (tx) => {
    // Another node may have adopted the log in the meantime.
    if ((await readSeal(tx, workspaceId, keys, { lock: true })).kind !== 'none') return undefined
    const last = await findLatestCheckpoint(tx, workspaceId)
    const { sequence } = await findChainEnd(tx, workspaceId)
    if (!last && sequence > 0) {
      const fault = { sequence: 1, ...(sequence > 1 && { through: sequence }), id: null, reason: 'unvouched' } as const
      throw new AuditTamperedError(workspaceId, fault)
    }
    const sealedEnd = last && { size: last.size, hash: last.hash, checkpoint: checkpointHash(last) }
    const seal = { ...createFirstSeal(workspaceId), ...sealedEnd, sealed_from: null, adopted_at: now.toISOString(), pruned: null }
    await tx
      .updateTable('workspace')
      .set({ signing_key: keys.signingKeyRequiringSeal() })
      .where('id', '=', uuidOf('ws', workspaceId))
      .execute()
    await writeSeal(tx, seal, keys.hasher)
    return { signedThrough: seal.size, newer: sequence - seal.size }
  })
}
