import { execute } from './execute.ts'

/** Empty texts: the record has no such value. */
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

/** Counts of audit records by Application, key, provider, model, user and verdict (domains/audit/statistics/roll-up.ts), which a job makes from the log. */
export const up = execute([
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
  // No reference to the Workspace: checking it is a third of the cost of a row.
  // dimension: all, application, provider, model, user or key. cost: null if no attempt had one.
  // …_durations: requests by duration, from bucket -24 on (see usage-sums.ts); null for users and keys.
  `create table audit_usage_value (
    workspace_id uuid not null,
    dimension text not null,
    span text not null,
    at timestamptz not null,
    value text not null,
    requests bigint not null,
    allow bigint not null,
    escalate bigint not null,
    require_approval bigint not null,
    deny bigint not null,
    errors bigint not null,
    input_tokens bigint not null,
    cached_tokens bigint not null,
    output_tokens bigint not null,
    reasoning_tokens bigint not null,
    cost double precision,
    duration_ms double precision not null,
    provider_ms double precision not null,
    total_durations bigint[],
    gateway_durations bigint[],
    provider_durations bigint[],
    primary key (workspace_id, dimension, span, at, value)
  )`,
  // Most durations are zeros, which compress well.
  'alter table audit_usage_value set (toast_tuple_target = 256)',
  ...['total', 'gateway', 'provider'].map(
    (part) => `alter table audit_usage_value alter column ${part}_durations set storage main`,
  ),
  // A text may hold what jsonb refuses (a lone surrogate, \u0000). Such a record must not stop the counts of those after it.
  `create function audit_body(body text) returns jsonb language plpgsql immutable parallel safe as $function$
  begin
    return body::jsonb;
  exception when others then
    return null;
  end
  $function$`,
  `create function audit_add_durations(one bigint[], other bigint[]) returns bigint[] language sql immutable parallel safe as $function$
    select case when one is null then other when other is null then one
      else (select array_agg(coalesce(a, 0) + coalesce(b, 0) order by n) from unnest(one, other) with ordinality as sums (a, b, n)) end
  $function$`,
  `create aggregate audit_sum_durations(bigint[]) (sfunc = audit_add_durations, stype = bigint[])`,
])
