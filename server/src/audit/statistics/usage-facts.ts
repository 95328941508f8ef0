import { type RawBuilder, sql } from 'kysely'
import { VERDICTS, type Verdict } from '../../domain/decision.ts'

/** Stands in the counts for requests without an Application: messages. */
export const NO_APPLICATION = '00000000-0000-0000-0000-000000000000'

/** SQL for the records of `next` that are counted, with their bodies as JSON. */
export const COUNTED_RECORDS: RawBuilder<unknown> = sql`
  select sequence, created_at, status, tokens, cache_read_tokens, cost, duration_ms,
    coalesce(application_id, ${NO_APPLICATION}::uuid) as application_id, coalesce(user_hash, '') as user_hash,
    coalesce(verdict, '') as verdict, coalesce(facts ->> 'key_id', '') as key_id,
    case when jsonb_typeof(facts -> 'attempts') = 'array' then facts -> 'attempts' else '[]' end as attempts
  from next cross join lateral audit_body(body) as facts
  where endpoint <> 'admin'`

/**
 * SQL for one row for each attempt of `record`, and one for a record without attempts. A request counts for its last attempt. Its tokens
 * and cost come from the attempts, or from the columns of a record that has none.
 */
export const ATTEMPTS_OF_RECORDS: RawBuilder<unknown> = sql`
  select sequence, created_at, application_id, user_hash, verdict, key_id, status,
    coalesce(attempt ->> 'provider', '') as provider, coalesce(attempt ->> 'model', '') as model,
    place is null or place = jsonb_array_length(attempts) as is_last,
    case when place is null then tokens else coalesce((attempt ->> 'prompt_tokens')::float8, 0) end as input_tokens,
    case when place is null then coalesce(cache_read_tokens, 0) else coalesce((attempt ->> 'cache_read_tokens')::float8, 0) end
      as cached_tokens,
    coalesce((attempt ->> 'completion_tokens')::float8, 0) as output_tokens,
    coalesce((attempt ->> 'reasoning_tokens')::float8, 0) as reasoning_tokens,
    case when place is null then cost else (attempt ->> 'cost')::float8 end as cost,
    coalesce((attempt ->> 'ms')::float8, 0) as provider_ms,
    duration_ms as total_ms,
    sum((attempt ->> 'ms')::float8) over (partition by sequence) as providers_ms
  from record left join lateral jsonb_array_elements(attempts) with ordinality as attempts_of (attempt, place) on true`

/** SQL condition on the row that a request counts for. */
export const ATTRIBUTED: RawBuilder<unknown> = sql`is_last`

/** Failed: no response and no verdict against the request. */
const FAILED = sql`status >= 400 and verdict in ('', 'allow', 'escalate')`

/** Sums of a group of rows of ATTEMPTS_OF_RECORDS, by column of the counts. */
const SUM_BY_COLUMN: Readonly<Record<string, RawBuilder<unknown>>> = {
  requests: sql`count(*) filter (where ${ATTRIBUTED})`,
  errors: sql`count(*) filter (where ${ATTRIBUTED} and ${FAILED})`,
  input_tokens: sql`sum(input_tokens)::bigint`,
  cached_tokens: sql`sum(cached_tokens)::bigint`,
  output_tokens: sql`sum(output_tokens)::bigint`,
  reasoning_tokens: sql`sum(reasoning_tokens)::bigint`,
  cost: sql`sum(cost)`,
  duration_ms: sql`coalesce(sum(total_ms) filter (where ${ATTRIBUTED}), 0)`,
  provider_ms: sql`sum(provider_ms)`,
}

const COLUMNS = Object.keys(SUM_BY_COLUMN)
const VALUE_COLUMNS = [...COLUMNS, ...VERDICTS]
const ofVerdict = (verdict: Verdict) => sql`verdict = ${sql.lit(verdict)}`

const addedTo = (column: string) =>
  column === 'cost'
    ? sql`cost = case when old.cost is null then excluded.cost else old.cost + coalesce(excluded.cost, 0) end`
    : sql`${sql.ref(column)} = ${sql.ref(`old.${column}`)} + ${sql.ref(`excluded.${column}`)}`

/** SQL for the counts of all combinations of properties: their columns, the sums of new records, and adding them to a row. */
export const SUMS = {
  columns: sql.join(COLUMNS.map((column) => sql.ref(column))),
  ofShares: sql.join(Object.values(SUM_BY_COLUMN)),
  added: sql.join(COLUMNS.map(addedTo)),
  /** SQL for the columns of VALUE_SUMS in a row of one verdict. */
  asValues: sql.join([
    ...COLUMNS.map((column) => sql.ref(column)),
    ...VERDICTS.map((verdict) => sql`case when ${ofVerdict(verdict)} then requests else 0 end as ${sql.ref(verdict)}`),
  ]),
}

/** The same for the counts by one property, in which verdicts are columns. */
export const VALUE_SUMS = {
  columns: sql.join(VALUE_COLUMNS.map((column) => sql.ref(column))),
  ofShares: sql.join([
    ...COLUMNS.map((column) => sql`${SUM_BY_COLUMN[column]} as ${sql.ref(column)}`),
    ...VERDICTS.map((verdict) => sql`count(*) filter (where ${ATTRIBUTED} and ${ofVerdict(verdict)}) as ${sql.ref(verdict)}`),
  ]),
  added: sql.join(VALUE_COLUMNS.map(addedTo)),
  /** SQL for the sums of shorter spans. */
  ofSpans: sql.join(VALUE_COLUMNS.map((column) => sql`sum(${sql.ref(column)})`)),
  /** SQL for the sums that are read. As float8, because sums of bigint are exact decimals, which take several times as long. */
  ofCounts: sql.join(
    VALUE_COLUMNS.map((column) =>
      column === 'cost' ? sql`sum(cost) as cost` : sql`coalesce(sum(${sql.ref(column)}::float8), 0) as ${sql.ref(column)}`,
    ),
  ),
}
