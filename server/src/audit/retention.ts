import type { Db, Tx } from '../db/database.ts'
import { uuidOf } from '../db/values.ts'
import { newId } from '../lib/id.ts'
import { appendUnderLock } from './append-in-transaction.ts'
import { findFirstSequence } from './audit-store.ts'
import { isGenuine } from './checkpoint.ts'
import { findCheckpointBefore, findCheckpointCovering, findCheckpointOlderThan } from './checkpoint-store.ts'
import { readSeal, writeSeal } from './log-seal.ts'
import { createChangeDraft } from './record.ts'
import { AuditTamperedError, readVerifiedSeal } from './verified-seal.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** Approximate number of records removed by one transaction; each batch ends at a checkpoint. */
const BATCH_RECORDS = 2_000

/**
 * Removes the records created before `before`, up to a checkpoint that covers no newer record: the rest still verifies from that
 * checkpoint, which is kept. Each batch also ends at a checkpoint, so an interruption does no harm. The removal is recorded.
 * Returns the number of removed records. `archived`: nothing is removed before the archive has it (its last sequence). Throws if that checkpoint was altered, or the log was tampered with
 * (AuditTamperedError): the records are then evidence.
 */
export async function pruneRecords(
  db: Db,
  workspaceId: string,
  { before, keys, now, archived }: { before: Date; keys: WorkspaceKeys; now: Date; archived?: number },
): Promise<number> {
  await readVerifiedSeal(db, workspaceId, keys)
  const expired = await findCheckpointOlderThan(db, workspaceId, before)
  const isArchived = archived === undefined || expired === undefined || expired.size <= archived
  const last = isArchived ? expired : await findCheckpointBefore(db, workspaceId, archived + 1)
  if (last === undefined) return 0
  if (!isGenuine(last, keys.publicKey)) throw new Error(`checkpoint ${last.size} of ${workspaceId} was altered`)
  let removed = 0
  for (;;) {
    const first = await findFirstSequence(db, workspaceId)
    if (first === undefined || first > last.size) return removed
    const batchEnd = await findCheckpointBefore(db, workspaceId, Math.min(first + BATCH_RECORDS, last.size + 1))
    const stop = batchEnd && batchEnd.size >= first ? batchEnd : await findCheckpointCovering(db, workspaceId, first)
    const through = stop?.size ?? last.size
    removed += await db.transaction().execute(async (tx) => {
      // Locks the seal first, in the same order as signing, to prevent deadlocks.
      const reading = await readSeal(tx, workspaceId, keys, { lock: true })
      if (reading.kind === 'invalid') throw new AuditTamperedError(workspaceId, reading.fault)
      const count = await removeThrough(tx, workspaceId, through)
      const change = { action: 'audit.prune', object_type: 'audit_record', object_id: `${first}-${through}`, fields: [] }
      const draft = createChangeDraft({ id: newId('aud'), workspaceId, at: now, actor: null, change })
      // Another node may have removed them in the meantime.
      if (count === 0) return 0
      const pruned = reading.kind === 'sealed' ? reading.seal.pruned : null
      if (reading.kind === 'sealed' && pruned !== null)
        await writeSeal(tx, { ...reading.seal, pruned: Math.max(pruned, through) }, keys.hasher)
      await appendUnderLock(tx, workspaceId, [draft], keys.hasher)
      return count
    })
  }
}

async function removeThrough(tx: Tx, workspaceId: string, through: number): Promise<number> {
  const workspace = uuidOf('ws', workspaceId)
  await tx.deleteFrom('audit_checkpoint').where('workspace_id', '=', workspace).where('size', '<', through).execute()
  const result = await tx
    .deleteFrom('audit_record')
    .where('workspace_id', '=', workspace)
    .where('sequence', '<=', through)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
