import type { Db, Tx } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import { appendInTransaction, firstSequence } from './audit-store.ts'
import { uuidOf } from './chain.ts'
import { isGenuine } from './checkpoint.ts'
import { checkpointBefore, checkpointCovering, checkpointOlderThan } from './checkpoint-store.ts'
import { readSeal, writeSeal } from './log-seal.ts'
import { changeDraft } from './record.ts'
import { AuditTampered, readVouching } from './vouching.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** Records removed by one transaction, give or take a checkpoint's worth. */
const BATCH = 2_000

/**
 * Removes the records made before `before`, as far as a checkpoint covers nothing younger: the rest goes on verifying, and
 * that checkpoint stays as what it begins behind. Every batch ends at a checkpoint too, so it may be interrupted anywhere.
 * That records were removed is itself recorded. Answers how many. Throws when that checkpoint is not what was signed, or
 * the log was tampered with otherwise (AuditTampered): what would be lost is then the only evidence.
 */
export async function pruneRecords(
  db: Db,
  workspaceId: string,
  { before, keys, now }: { before: Date; keys: WorkspaceKeys; now: Date },
): Promise<number> {
  await readVouching(db, workspaceId, keys)
  const last = await checkpointOlderThan(db, workspaceId, before)
  if (last === undefined) return 0
  if (!isGenuine(last, keys.publicKey)) throw new Error(`checkpoint ${last.size} of ${workspaceId} was altered`)
  let removed = 0
  for (;;) {
    const first = await firstSequence(db, workspaceId)
    if (first === undefined || first > last.size) return removed
    const full = await checkpointBefore(db, workspaceId, Math.min(first + BATCH, last.size + 1))
    const stop = full && full.size >= first ? full : await checkpointCovering(db, workspaceId, first)
    const through = stop?.size ?? last.size
    removed += await db.transaction().execute(async (tx) => {
      // The seal is locked first, in the same order as when a checkpoint is signed: otherwise the two could deadlock.
      const reading = await readSeal(tx, workspaceId, keys, { lock: true })
      if (reading.kind === 'bad') throw new AuditTampered(workspaceId, reading.bad)
      const count = await removeThrough(tx, workspaceId, through)
      const change = { action: 'audit.prune', object_type: 'audit_record', object_id: `${first}-${through}`, fields: [] }
      const draft = changeDraft({ id: newId('aud'), workspaceId, at: now, actor: null, change })
      // Another node may have been quicker.
      if (count === 0) return 0
      const pruned = reading.kind === 'sealed' ? reading.seal.pruned : null
      if (reading.kind === 'sealed' && pruned !== null)
        await writeSeal(tx, { ...reading.seal, pruned: Math.max(pruned, through) }, keys.hasher)
      await appendInTransaction(tx, workspaceId, [draft], keys.hasher)
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
