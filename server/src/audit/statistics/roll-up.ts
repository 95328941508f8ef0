import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { uuidOf } from '../../db/values.ts'
import { toId } from '../../lib/id.ts'
import { BUCKET_OF_RECORD } from './duration-buckets.ts'
import { ALL_APPLICATIONS, RECORD_COUNTS } from './record-counts.ts'

/** Records that one statement counts. */
const BATCH = 5_000
const HOUR_MS = 3_600_000

/** Workspaces with records that are not counted yet. */
export async function findWorkspacesToRollUp(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('audit_head')
    .leftJoin('audit_rollup_position as position', 'position.workspace_id', 'audit_head.workspace_id')
    .select('audit_head.workspace_id')
    .where(({ eb, fn }) => eb('audit_head.sequence', '>', fn.coalesce('position.through', sql<number>`0`)))
    .execute()
  return rows.map(({ workspace_id }) => toId('ws', workspace_id))
}

/**
 * Adds the next records of a Workspace to its hourly counts, in the order of the chain, in one statement. Returns false when none is left,
 * or when another node is doing it. Records of one Workspace become visible in the order of their sequences, so none is passed over.
 */
export async function rollUpNextRecords(db: Db, workspaceId: string): Promise<boolean> {
  const workspace = uuidOf('ws', workspaceId)
  await db
    .insertInto('audit_rollup_position')
    .values({ workspace_id: workspace, through: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { rows } = await sql<{ counted: number }>`
    with position as (
      select through from audit_rollup_position where workspace_id = ${workspace} for update skip locked
    ), record as (
      select audit_record.*, date_trunc('hour', created_at, 'UTC') as hour, ${BUCKET_OF_RECORD} as bucket from audit_record
      where workspace_id = ${workspace} and sequence > (select through from position)
      order by sequence limit ${sql.lit(BATCH)}
    ), counted as (
      select record.*, owner.id as owner_id
      from record cross join lateral (values (application_id), (${ALL_APPLICATIONS}::uuid)) as owner (id)
      where endpoint <> 'admin' and owner.id is not null
    ), counts as (
      insert into audit_rollup (workspace_id, application_id, hour,
        requests, allow, escalate, require_approval, deny, errors, tokens, cached_tokens, cost)
      select ${workspace}, owner_id, hour, ${RECORD_COUNTS} from counted group by owner_id, hour
      on conflict (workspace_id, application_id, hour) do update set
        requests = audit_rollup.requests + excluded.requests,
        allow = audit_rollup.allow + excluded.allow,
        escalate = audit_rollup.escalate + excluded.escalate,
        require_approval = audit_rollup.require_approval + excluded.require_approval,
        deny = audit_rollup.deny + excluded.deny,
        errors = audit_rollup.errors + excluded.errors,
        tokens = audit_rollup.tokens + excluded.tokens,
        cached_tokens = audit_rollup.cached_tokens + excluded.cached_tokens,
        cost = case when audit_rollup.cost is null then excluded.cost else audit_rollup.cost + coalesce(excluded.cost, 0) end
    ), durations as (
      insert into audit_rollup_duration (workspace_id, application_id, hour, bucket, requests)
      select ${workspace}, owner_id, hour, bucket, count(*) from counted group by owner_id, hour, bucket
      on conflict (workspace_id, application_id, hour, bucket) do update set
        requests = audit_rollup_duration.requests + excluded.requests
    ), moved as (
      update audit_rollup_position set through = (select max(sequence) from record)
      where workspace_id = ${workspace} and exists (select from record)
    )
    select count(*)::int as counted from record`.execute(db)
  return rows[0]?.counted === BATCH
}

/** Removes the counts of hours that ended before `before`, as retention removes their records. */
export async function removeOldRollUps(db: Db, workspaceId: string, before: Date): Promise<void> {
  const lastHour = new Date(before.getTime() - HOUR_MS)
  for (const table of ['audit_rollup', 'audit_rollup_duration'] as const) {
    await db.deleteFrom(table).where('workspace_id', '=', uuidOf('ws', workspaceId)).where('hour', '<=', lastHour).execute()
  }
}
