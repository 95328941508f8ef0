import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { uuidOf } from '../../db/values.ts'
import { toId } from '../../lib/id.ts'
import { countCombinations, countValues } from './count-shares.ts'
import { ATTEMPTS_OF_RECORDS, COUNTED_RECORDS } from './usage-facts.ts'

/** Records that one statement counts. */
const BATCH = 5_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Counts of minutes are for the last two days. */
export const MINUTES_KEPT_MS: number = 2 * DAY_MS

const TABLES = ['audit_usage', 'audit_usage_user', 'audit_usage_value', 'audit_usage_latency'] as const

/** Workspaces with records that are not counted yet. */
export async function findWorkspacesToRollUp(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('audit_head')
    .leftJoin('audit_usage_position as position', 'position.workspace_id', 'audit_head.workspace_id')
    .select('audit_head.workspace_id')
    .where(({ eb, fn }) => eb('audit_head.sequence', '>', fn.coalesce('position.through', sql<number>`0`)))
    .execute()
  return rows.map(({ workspace_id }) => toId('ws', workspace_id))
}

/** Number of records that are not counted yet. */
async function countRecordsToRollUp(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('audit_head')
    .leftJoin('audit_usage_position as position', 'position.workspace_id', 'audit_head.workspace_id')
    .select(({ ref, fn }) =>
      sql<number>`greatest(${ref('audit_head.sequence')} - ${fn.coalesce('position.through', sql<number>`0`)}, 0)`.as('left'),
    )
    .where('audit_head.workspace_id', '=', uuidOf('ws', workspaceId))
    .executeTakeFirst()
  return Number(row?.left ?? 0)
}

/**
 * Counts the newest records, if a statement can, so that a reader sees them before the job has run. Returns the number of records that are
 * left for the job: many only after an upgrade or an import.
 */
export async function rollUpNewestRecords(db: Db, workspaceId: string, now: Date): Promise<number> {
  const left = await countRecordsToRollUp(db, workspaceId)
  if (left === 0 || left > BATCH) return left
  await rollUp(db, workspaceId, { now, lock: sql`for update` })
  return 0
}

/**
 * Adds the next records of a Workspace to its counts, in the order of the chain, in one statement. Returns false when none is left, or when
 * another node is doing it. Records of one Workspace become visible in the order of their sequences, so none is passed over.
 */
export async function rollUpNextRecords(db: Db, workspaceId: string, now: Date): Promise<boolean> {
  return (await rollUp(db, workspaceId, { now, lock: sql`for update skip locked` })) === BATCH
}

async function rollUp(
  db: Db,
  workspaceId: string,
  { now, lock }: { readonly now: Date; readonly lock: ReturnType<typeof sql> },
): Promise<number> {
  const workspace = uuidOf('ws', workspaceId)
  await db
    .insertInto('audit_usage_position')
    .values({ workspace_id: workspace, through: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const oldestMinute = new Date(now.getTime() - MINUTES_KEPT_MS)
  const { rows } = await sql<{ counted: number }>`
    with position as (
      select through from audit_usage_position where workspace_id = ${workspace} ${lock}
    ), next as (
      select * from audit_record
      where workspace_id = ${workspace} and sequence > (select through from position)
      order by sequence limit ${sql.lit(BATCH)}
    ), record as materialized (${COUNTED_RECORDS}),
    share as materialized (${ATTEMPTS_OF_RECORDS}),
    ${countCombinations(workspace, oldestMinute)}, ${countValues(workspace)}, moved as (
      update audit_usage_position set through = (select max(sequence) from next)
      where workspace_id = ${workspace} and exists (select from next)
    )
    select count(*)::int as counted from next`.execute(db)
  return rows[0]?.counted ?? 0
}

/** Removes the counts of hours that ended before `before`, as retention removes their records, and old counts of minutes. */
export async function removeOldRollUps(
  db: Db,
  workspaceId: string,
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<void> {
  const workspace = uuidOf('ws', workspaceId)
  const keptFrom = new Date(Math.floor(before.getTime() / HOUR_MS) * HOUR_MS)
  await db.transaction().execute(async (tx) => {
    // Readers take no day that began before this time from the counts of days.
    await tx
      .updateTable('audit_usage_position')
      .set({ kept_from: keptFrom })
      .where('workspace_id', '=', workspace)
      .where('kept_from', '<', keptFrom)
      .execute()
    for (const table of TABLES) {
      await tx.deleteFrom(table).where('workspace_id', '=', workspace).where('at', '<', keptFrom).execute()
    }
    const oldestMinute = new Date(now.getTime() - MINUTES_KEPT_MS)
    await tx
      .deleteFrom('audit_usage')
      .where('workspace_id', '=', workspace)
      .where('span', '=', 'minute')
      .where('at', '<', oldestMinute)
      .execute()
  })
}
