import type { Db } from '../db/database.ts'
import { firstSequence, streamRecords } from './audit-store.ts'
import type { Checkpoint } from './checkpoint.ts'
import { checkpointAt, checkpointNewerThan, checkpointOlderThan, latestCheckpoint } from './checkpoint-store.ts'

/** First line of an export. */
export interface ExportHeader {
  readonly object: 'audit_export'
  readonly workspace_id: string
  /** The records follow this checkpoint; null: they begin with the Workspace's first. */
  readonly after: Checkpoint | null
  /** Sequence of the last record. */
  readonly through: number
}

/**
 * A Workspace's records as JSON lines: a header, the records, and the checkpoint that was signed over them, so that the whole
 * can be verified by itself (verifyExport). It reaches from a checkpoint to a checkpoint: the smallest such range around
 * `from` and `to`. For the newest records make a checkpoint first; without any there is only the header.
 */
export async function* exportRecords(
  db: Db,
  workspaceId: string,
  { from, to }: { from?: Date; to?: Date } = {},
): AsyncGenerator<string> {
  const after = (from && (await checkpointOlderThan(db, workspaceId, from))) ?? (await anchor(db, workspaceId))
  const found = (to && (await checkpointNewerThan(db, workspaceId, to))) ?? (await latestCheckpoint(db, workspaceId))
  const through = found && found.size > (after?.size ?? 0) ? found : undefined
  const header: ExportHeader = {
    object: 'audit_export',
    workspace_id: workspaceId,
    after: after ?? null,
    through: through?.size ?? after?.size ?? 0,
  }
  yield JSON.stringify(header)
  if (through === undefined) return
  for await (const record of streamRecords(db, workspaceId, { after: after?.size ?? 0, through: through.size })) {
    yield JSON.stringify(record)
  }
  yield JSON.stringify(through)
}

/** The checkpoint at which retention stopped; undefined while nothing was removed. */
async function anchor(db: Db, workspaceId: string): Promise<Checkpoint | undefined> {
  const first = await firstSequence(db, workspaceId)
  return first === undefined ? latestCheckpoint(db, workspaceId) : checkpointAt(db, workspaceId, first - 1)
}
