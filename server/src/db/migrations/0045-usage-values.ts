import { type Kysely, sql } from 'kysely'

/**
 * Counts and durations by one property, also of weeks: a few rows instead of those of all combinations (audit/statistics/roll-up.ts). Counts
 * of 0036 are copied; no release has written any.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...DEFINITIONS, ...COPIES]) await sql.raw(statement).execute(db)
}

const SUMMED = [
  'errors',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost',
  'duration_ms',
  'provider_ms',
]
const VERDICTS = ['allow', 'escalate', 'require_approval', 'deny']
const PARTS = ['total', 'gateway', 'provider']

const DEFINITIONS = [
  // No reference to the Workspace: checking it is a third of the cost of a row.
  // dimension: all, application, provider, model, user or key. cost: null if no attempt had one.
  // …_durations: requests by duration, from bucket -24 on (see duration-buckets.ts); null for users and keys.
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
  ...PARTS.map((part) => `alter table audit_usage_value alter column ${part}_durations set storage main`),
  `create function audit_durations(buckets smallint[], requests bigint[]) returns bigint[] language plpgsql immutable parallel safe as $function$
  declare
    durations bigint[];
  begin
    if buckets is null then return null; end if;
    durations := array_fill(0::bigint, array[(select max(bucket) from unnest(buckets) as bucket) + 25]);
    for n in 1 .. array_length(buckets, 1) loop
      durations[buckets[n] + 25] := durations[buckets[n] + 25] + requests[n];
    end loop;
    return durations;
  end
  $function$`,
  `create function audit_add_durations(one bigint[], other bigint[]) returns bigint[] language sql immutable parallel safe as $function$
    select case when one is null then other when other is null then one
      else (select array_agg(coalesce(a, 0) + coalesce(b, 0) order by n) from unnest(one, other) with ordinality as sums (a, b, n)) end
  $function$`,
  `create aggregate audit_sum_durations(bigint[]) (sfunc = audit_add_durations, stype = bigint[])`,
]

const PLACE = 'workspace_id, dimension, span, at, value'
const SPANS = `(values ('hour'), ('day'), ('week')) as long (span)`

const copyOf = (table: string, dimension: string, value: string) => `
  with sums as (
    select workspace_id, '${dimension}' as dimension, long.span, date_trunc(long.span, at, 'UTC') as at, ${value} as value, sum(requests),
      ${VERDICTS.map((verdict) => `coalesce(sum(requests) filter (where verdict = '${verdict}'), 0)`).join(', ')},
      ${SUMMED.map((column) => `sum(${column})`).join(', ')}
    from ${table} cross join ${SPANS}
    where ${table}.span = 'hour' group by 1, 2, 3, 4, 5
  ), durations as (
    select workspace_id, dimension, long.span, date_trunc(long.span, at, 'UTC') as at, value,
      ${PARTS.map((part) => `audit_durations(array_agg(bucket) filter (where part = '${part}'), array_agg(requests) filter (where part = '${part}'))`).join(', ')}
    from audit_usage_latency cross join ${SPANS}
    where dimension = '${dimension}' group by 1, 2, 3, 4, 5
  )
  insert into audit_usage_value (${PLACE}, requests, ${VERDICTS.join(', ')}, ${SUMMED.join(', ')},
    ${PARTS.map((part) => `${part}_durations`).join(', ')})
  select * from sums left join durations using (${PLACE})`

const COPIES = [
  copyOf('audit_usage', 'all', `''`),
  copyOf('audit_usage', 'application', 'application_id::text'),
  copyOf('audit_usage', 'provider', 'provider'),
  copyOf('audit_usage', 'model', 'model'),
  copyOf('audit_usage', 'key', 'key_id'),
  copyOf('audit_usage_user', 'user', 'user_hash'),
]
