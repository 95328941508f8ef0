import type { Db } from '../db/database.ts'
import { findHead } from './audit-store.ts'
import { uuidOf } from './chain.ts'
import { checkpointHash } from './checkpoint.ts'
import { latestCheckpoint } from './checkpoint-store.ts'
import { firstSeal, readSeal, writeSeal } from './log-seal.ts'
import { verifyWorkspace } from './verify.ts'
import { AuditTampered } from './vouching.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** What was taken over: records that a checkpoint vouches for, and newer ones as they were found. */
export interface Adopted {
  readonly signedThrough: number
  readonly newer: number
}

/** For the log of the server, once. */
export const ADOPTED = 'the audit log of an older version verifies; from here on it is sealed with the secret key'

/**
 * Gives the log of an older version its seal, once: when it verifies, from its first record to its last checkpoint. Throws
 * AuditTampered when it does not, or when there are records and no checkpoint over them. Undefined when there is a seal.
 */
export async function adoptLog(db: Db, workspaceId: string, keys: WorkspaceKeys, now: Date): Promise<Adopted | undefined> {
  if ((await readSeal(db, workspaceId, keys)).kind !== 'none') return undefined
  const { firstBad } = await verifyWorkspace(db, workspaceId, keys)
  if (firstBad) throw new AuditTampered(workspaceId, firstBad)
  return db.transaction().execute(async (tx) => {
    // Another node may have been quicker.
    if ((await readSeal(tx, workspaceId, keys, { lock: true })).kind !== 'none') return undefined
    const last = await latestCheckpoint(tx, workspaceId)
    const { sequence } = await findHead(tx, workspaceId)
    if (!last && sequence > 0) {
      const bad = { sequence: 1, ...(sequence > 1 && { through: sequence }), id: null, reason: 'unvouched' } as const
      throw new AuditTampered(workspaceId, bad)
    }
    const vouched = last && { size: last.size, hash: last.hash, checkpoint: checkpointHash(last) }
    const seal = { ...firstSeal(workspaceId), ...vouched, sealed_from: null, adopted_at: now.toISOString(), pruned: null }
    await tx
      .updateTable('workspace')
      .set({ signing_key: keys.signingKeyRequiringSeal() })
      .where('id', '=', uuidOf('ws', workspaceId))
      .execute()
    await writeSeal(tx, seal, keys.hasher)
    return { signedThrough: seal.size, newer: sequence - seal.size }
  })
}
