import type { Db } from '../db/database.ts'
import { toId } from '../lib/id.ts'

/** `ws_…`, oldest first. */
export async function listWorkspaceIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('workspace').select('id').orderBy('id').execute()
  return rows.map(({ id }) => toId('ws', id))
}

/** Runs `work` for all, also after a fault; throws the faults at the end. */
export async function runForEach(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const faults: unknown[] = []
  for (const id of ids) await work(id).catch((fault) => faults.push(fault))
  if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults, `${faults.length} Workspaces failed`)
}
