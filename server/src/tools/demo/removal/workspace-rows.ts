import { CompiledQuery, sql } from 'kysely'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { EXPORTED_TABLES } from '../../backup/exported-tables.ts'

const OF_WORKSPACE = 'workspace_id = $1'
const OF_PARTITION = 'partition_id in (select id from retrieval_partition where workspace_id = $1)'
/** Conditions on the rows of tables without a column `workspace_id`. */
const CONDITIONS: Readonly<Record<string, string>> = {
  workspace: 'id = $1',
  budget_window: 'budget_id in (select id from budget where workspace_id = $1)',
  retrieval_entry: OF_PARTITION,
  retrieval_posting: OF_PARTITION,
}

/**
 * Deletes all rows of a Workspace, and itself. Requests in progress wait at the locks, and fail after the commit: rows refer to the
 * Workspace, and records to the end of its audit log. May deadlock with it, so the caller repeats the transaction.
 */
export async function deleteWorkspace(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  const uuid = uuidOfWorkspace(workspaceId)
  await sql`select from workspace where id = ${uuid} for update`.execute(tx)
  await sql`select from audit_head where workspace_id = ${uuid} for update`.execute(tx)
  // A job deletes the files.
  await sql`
    insert into removed_file (place, removed_at) select place, ${now} from message_attachment where workspace_id = ${uuid}
    on conflict do nothing`.execute(tx)
  await tx.updateTable('workspace').set({ active_policy_id: null }).where('id', '=', uuid).execute()
  for (const [table, condition] of await listConditions(tx))
    await tx.executeQuery(CompiledQuery.raw(`delete from ${table} where ${condition}`, [uuid]))
}

/** The tables with rows of Workspaces, each before those that it refers to, and the condition on the rows of one. */
async function listConditions(tx: Tx): Promise<readonly (readonly [table: string, condition: string])[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'workspace_id'`.execute(tx)
  const owned = new Set(rows.map(({ name }) => name))
  return Object.keys(EXPORTED_TABLES)
    .toReversed()
    .flatMap((table) => {
      const condition = CONDITIONS[table] ?? (owned.has(table) && OF_WORKSPACE)
      return condition ? [[table, condition] as const] : []
    })
}
