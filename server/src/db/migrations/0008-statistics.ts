import { type Kysely, sql } from 'kysely'

/** Columns and one index for the statistics of records, which then read no bodies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const SUM = (expression: string) => `(select sum(${expression}) from jsonb_array_elements(body::jsonb -> 'attempts') as attempt)`
const TOKENS = `coalesce((attempt ->> 'prompt_tokens')::int, 0) + coalesce((attempt ->> 'completion_tokens')::int, 0)`

const STATEMENTS = [
  `alter table api_key add column last_used_at timestamptz`,
  `alter table audit_record add column duration_ms double precision, add column tokens integer, add column cost double precision`,
  `update audit_record set
    duration_ms = (body::jsonb ->> 'duration_ms')::double precision,
    tokens = coalesce(${SUM(TOKENS)}, 0),
    cost = ${SUM(`(attempt ->> 'cost')::double precision`)}`,
  `alter table audit_record alter column duration_ms set not null, alter column tokens set not null`,
  `create index audit_record_time on audit_record (workspace_id, created_at)
    include (sequence, application_id, endpoint, verdict, status, duration_ms, tokens, cost)`,
]
