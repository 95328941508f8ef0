import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { newId } from '../../platform/lib/id.ts'
import { findFirstSequence } from './audit-store.ts'
import { appendUnderLock } from './chain/append-in-transaction.ts'
import { type Checkpoint, isGenuine } from './checkpoints/checkpoint.ts'
import { findCheckpointBefore, findCheckpointCovering, findCheckpointOlderThan } from './checkpoints/checkpoint-store.ts'
import { type LogSeal, readSeal, writeSeal } from './checkpoints/log-seal.ts'
import { AuditTamperedError, readVerifiedSeal } from './checkpoints/verified-seal.ts'
import { createChangeDraft } from './record/record.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** Approximate number of records removed by one transaction; each batch ends at a checkpoint. */
const BATCH_RECORDS = 500

export interface Retention {
  readonly before: Date
  readonly keys: WorkspaceKeys
  /** Last sequence in the archive; nothing after it is removed. Absent: there is no archive. */
  readonly archived?: number
}

/** Undefined: none. Throws if it was altered, or the log was tampered with (AuditTamperedError): the records are then evidence. */
async function findLastRemovable(
  db: Db,
  workspaceId: string,
  { before, keys, archived }: Retention,
): Promise<Checkpoint | undefined> {
  await readVerifiedSeal(db, workspaceId, keys)
  const expired = await findCheckpointOlderThan(db, workspaceId, before)
  const isArchived = archived === undefined || expired === undefined || expired.size <= archived
  const last = isArchived ? expired : await findCheckpointBefore(db, workspaceId, archived + 1)
  if (last && !isGenuine(last, keys.publicKey)) throw new Error(`checkpoint ${last.size} of ${workspaceId} was altered`)
  return last
}

/** The kept checkpoint lets the rest verify. Each batch ends at a checkpoint, so an interruption does no harm. Throws as findLastRemovable. */
export async function pruneRecords(
  db: Db,
  workspaceId: string,
  { before, keys, now, archived }: Retention & { now: Date },
): Promise<number> {
  const last = await findLastRemovable(db, workspaceId, { before, keys, ...(archived !== undefined && { archived }) })
  if (last === undefined) return 0
  let removed = 0
  for (;;) {
    const first = await findFirstSequence(db, workspaceId)
    if (first === undefined || first > last.size) return removed
    const batchEnd = await findCheckpointBefore(db, workspaceId, Math.min(first + BATCH_RECORDS, last.size + 1))
    const stop = batchEnd && batchEnd.size >= first ? batchEnd : await findCheckpointCovering(db, workspaceId, first)
    const through = stop?.size ?? last.size
    removed += await db.transaction().execute(async (tx) => {
      const seal = await lockSeal(tx, workspaceId, keys)
      const count = await removeThrough(tx, workspaceId, through)
      // Another node may have removed them in the meantime.
      if (count === 0) return 0
      const change = { action: 'audit.prune', object_type: 'audit_record', object_id: `${first}-${through}`, fields: [] }
      const draft = createChangeDraft({ id: newId('aud'), workspaceId, at: now, actor: null, change })
      await writeSeal(tx, { ...seal, pruned: Math.max(seal.pruned, through) }, keys.hasher)
      await appendUnderLock(tx, workspaceId, [draft], keys.hasher)
      return count
    })
  }
}

/** Call it first, in the same order as signing, to prevent deadlocks. */
async function lockSeal(tx: Tx, workspaceId: string, keys: WorkspaceKeys): Promise<LogSeal> {
  const reading = await readSeal(tx, workspaceId, keys, { lock: true })
  if (reading.kind === 'invalid') throw new AuditTamperedError(workspaceId, reading.fault)
  return reading.seal
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
