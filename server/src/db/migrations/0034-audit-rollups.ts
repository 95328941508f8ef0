import { type Kysely, sql } from 'kysely'

/** Hourly counts of audit records (audit/statistics/roll-up.ts), which a job makes from the log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // through: sequence of the last counted record.
  `create table audit_rollup_position (
    workspace_id uuid primary key references workspace,
    through bigint not null
  )`,
  // application_id: zero for all Applications and messages together. cost: null if no record had one.
  `create table audit_rollup (
    workspace_id uuid not null references workspace,
    application_id uuid not null,
    hour timestamptz not null,
    requests bigint not null,
    allow bigint not null,
    escalate bigint not null,
    require_approval bigint not null,
    deny bigint not null,
    errors bigint not null,
    tokens bigint not null,
    cached_tokens bigint not null,
    cost double precision,
    primary key (workspace_id, application_id, hour)
  )`,
  // Requests by duration: bucket n holds durations from e^(n / 10) milliseconds on.
  `create table audit_rollup_duration (
    workspace_id uuid not null references workspace,
    application_id uuid not null,
    hour timestamptz not null,
    bucket smallint not null,
    requests bigint not null,
    primary key (workspace_id, application_id, hour, bucket)
  )`,
]
