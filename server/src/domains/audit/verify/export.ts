import type { Db } from '../../../platform/db/database.ts'
import { findFirstSequence, streamRecords } from '../audit-store.ts'
import type { Checkpoint } from '../checkpoints/checkpoint.ts'
import {
  findCheckpointAt,
  findCheckpointNewerThan,
  findCheckpointOlderThan,
  findLatestCheckpoint,
} from '../checkpoints/checkpoint-store.ts'

export interface ExportHeader {
  readonly object: 'audit_export'
  readonly workspace_id: string
  /** Checkpoint before the first exported record; null: the export begins with the Workspace's first record. */
  readonly after: Checkpoint | null
  readonly through: number
}

/**
 * JSON lines: a header, the records and the checkpoint signed over them, so that the export can be verified on its own (verifyExport). It covers
 * the smallest range between two checkpoints that contains `from` to `to`. To include the newest records make a checkpoint first; without any
 * checkpoint only the header is exported.
 */
export async function* exportRecords(
  db: Db,
  workspaceId: string,
  { from, to }: { from?: Date; to?: Date } = {},
): AsyncGenerator<string> {
  const after = (from && (await findCheckpointOlderThan(db, workspaceId, from))) ?? (await findExportStart(db, workspaceId))
  const found = (to && (await findCheckpointNewerThan(db, workspaceId, to))) ?? (await findLatestCheckpoint(db, workspaceId))
  const through = found && found.size > (after?.size ?? 0) ? found : undefined
  yield* streamExport(db, workspaceId, after, through)
}

/** `after` undefined: from the first record. `through` undefined: only the header. */
export async function* streamExport(
  db: Db,
  workspaceId: string,
  after: Checkpoint | undefined,
  through: Checkpoint | undefined,
): AsyncGenerator<string> {
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

export async function findExportStart(db: Db, workspaceId: string): Promise<Checkpoint | undefined> {
  const first = await findFirstSequence(db, workspaceId)
  return first === undefined ? findLatestCheckpoint(db, workspaceId) : findCheckpointAt(db, workspaceId, first - 1)
}
