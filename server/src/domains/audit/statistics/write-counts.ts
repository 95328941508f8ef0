import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import type { UsageRows } from './usage-counter.ts'
import { SUMS, VALUE_SUMS } from './usage-facts.ts'

const USAGE = sql`application_id, key_id, provider, model, verdict`
const USAGE_TYPES = sql`application_id uuid, key_id text, provider text, model text, verdict text`
const PARTS = ['total_durations', 'gateway_durations', 'provider_durations'] as const
const DURATIONS = sql.join(PARTS.map((part) => sql.ref(part)))
const DURATION_TYPES = sql.join(PARTS.map((part) => sql`${sql.ref(part)} bigint[]`))
const DURATIONS_ADDED = sql.join(
  PARTS.map((part) => sql`${sql.ref(part)} = audit_add_durations(${sql.ref(`old.${part}`)}, ${sql.ref(`excluded.${part}`)})`),
)

/** The rows of the records after `from` up to `to`. */
interface Counted {
  readonly from: number
  readonly to: number
  readonly rows: UsageRows
}

/**
 * Adds the rows to the counts and moves the position of the Workspace to `to`, in one statement. Returns false, without a change, if the
 * position is not `from`: another node has counted the records.
 */
export async function writeCounts(db: Db, workspaceId: string, { from, to, rows }: Counted): Promise<boolean> {
  const moved = await sql`
    with moved as (
      update audit_usage_position set through = ${to} where workspace_id = ${uuidOf('ws', workspaceId)} and through = ${from}
      returning workspace_id
    ), combinations as (
      insert into audit_usage as old (workspace_id, span, at, ${USAGE}, ${SUMS.columns})
      select * from moved, ${recordset(rows.combinations, sql`span text, at timestamptz, ${USAGE_TYPES}, ${SUMS.types}`)}
      on conflict (workspace_id, span, at, ${USAGE}) do update set ${SUMS.added}
    ), users as (
      insert into audit_usage_user as old (workspace_id, span, at, user_hash, ${USAGE}, ${SUMS.columns})
      select * from moved, ${recordset(rows.users, sql`span text, at timestamptz, user_hash text, ${USAGE_TYPES}, ${SUMS.types}`)}
      on conflict (workspace_id, span, at, user_hash, ${USAGE}) do update set ${SUMS.added}
    ), by_value as (
      insert into audit_usage_value as old (workspace_id, dimension, span, at, value, ${VALUE_SUMS.columns}, ${DURATIONS})
      select * from moved, ${recordset(
        rows.values,
        sql`dimension text, span text, at timestamptz, value text, ${VALUE_SUMS.types}, ${DURATION_TYPES}`,
      )}
      on conflict (workspace_id, dimension, span, at, value) do update set ${VALUE_SUMS.added}, ${DURATIONS_ADDED}
    )
    select from moved`.execute(db)
  return moved.rows.length === 1
}

const recordset = (rows: readonly object[], columns: RawBuilder<unknown>) =>
  sql`json_to_recordset(${JSON.stringify(rows)}::json) as added(${columns})`
