import type { Db } from '../../platform/db/database.ts'
import { toId } from '../../platform/lib/id.ts'

/** The ids (`ws_…`) of all Workspaces, oldest first. */
export async function listWorkspaceIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('workspace').select('id').orderBy('id').execute()
  return rows.map(({ id }) => toId('ws', id))
}

/** Runs `work` for each id. An error does not stop the others; errors are thrown at the end. */
export async function runForEach(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  for (const id of ids) await work(id).catch((error) => errors.push(error))
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, `the job failed for ${errors.length} Workspaces`)
}
