import { type Kysely, sql } from 'kysely'

/** Counts of requests by Application, key, provider, model, user and verdict (audit/statistics/roll-up.ts), which a job makes from the log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** Empty texts: the record has no such value, or an older version wrote it. */
const DIMENSIONS = `
    span text not null,
    at timestamptz not null,
    application_id uuid not null,
    key_id text not null,
    provider text not null,
    model text not null,
    verdict text not null`

/** cost: null if no attempt had one. */
const COUNTS = `
    requests bigint not null,
    errors bigint not null,
    input_tokens bigint not null,
    cached_tokens bigint not null,
    output_tokens bigint not null,
    reasoning_tokens bigint not null,
    cost double precision,
    duration_ms double precision not null,
    provider_ms double precision not null`

const STATEMENTS = [
  // through: sequence of the last counted record. kept_from: retention has removed the counts before it.
  `create table audit_usage_position (
    workspace_id uuid primary key references workspace,
    through bigint not null,
    kept_from timestamptz not null default '-infinity'
  )`,
  `create table audit_usage (
    workspace_id uuid not null references workspace,${DIMENSIONS},${COUNTS},
    primary key (workspace_id, span, at, application_id, key_id, provider, model, verdict)
  )`,
  `create table audit_usage_user (
    workspace_id uuid not null references workspace,
    user_hash text not null,${DIMENSIONS},${COUNTS},
    primary key (workspace_id, span, at, user_hash, application_id, key_id, provider, model, verdict)
  )`,
  // Requests of an hour by duration: bucket n holds durations from e^(n / 10) milliseconds on. part: total, gateway or provider.
  `create table audit_usage_latency (
    workspace_id uuid not null references workspace,
    dimension text not null,
    at timestamptz not null,
    value text not null,
    part text not null,
    bucket smallint not null,
    requests bigint not null,
    primary key (workspace_id, dimension, at, value, part, bucket)
  )`,
  // A text may hold what jsonb refuses (a lone surrogate, \u0000). Such a record must not stop the counts of those after it.
  `create function audit_body(body text) returns jsonb language plpgsql immutable parallel safe as $function$
  begin
    return body::jsonb;
  exception when others then
    return null;
  end
  $function$`,
]
