import { type RawBuilder, sql } from 'kysely'
import { VERDICTS, type Verdict } from '../../../shared/decision.ts'
import type { UsageSums } from './usage-sums.ts'

/** Stands in the counts for requests without an Application: messages. */
export const NO_APPLICATION = '00000000-0000-0000-0000-000000000000'

/** Columns of sums, with their types. */
const TYPES = {
  requests: 'bigint',
  errors: 'bigint',
  input_tokens: 'bigint',
  cached_tokens: 'bigint',
  output_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost: 'double precision',
  duration_ms: 'double precision',
  provider_ms: 'double precision',
} as const satisfies Record<keyof UsageSums, string>

const COLUMNS = Object.keys(TYPES)
const VALUE_COLUMNS = [...COLUMNS, ...VERDICTS]
const ofVerdict = (verdict: Verdict) => sql`verdict = ${sql.lit(verdict)}`

/** SQL for the definition of the columns. */
function typed(types: Readonly<Record<string, string>>): RawBuilder<unknown> {
  return sql.join(Object.entries(types).map(([column, type]) => sql`${sql.ref(column)} ${sql.raw(type)}`))
}

const addedTo = (column: string) =>
  column === 'cost'
    ? sql`cost = case when old.cost is null then excluded.cost else old.cost + coalesce(excluded.cost, 0) end`
    : sql`${sql.ref(column)} = ${sql.ref(`old.${column}`)} + ${sql.ref(`excluded.${column}`)}`

/** SQL for the counts of all combinations of properties: their columns, without and with types, and adding new sums to a row. */
export const SUMS = {
  columns: sql.join(COLUMNS.map((column) => sql.ref(column))),
  types: typed(TYPES),
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
  types: typed({ ...TYPES, ...Object.fromEntries(VERDICTS.map((verdict) => [verdict, 'bigint'])) }),
  added: sql.join(VALUE_COLUMNS.map(addedTo)),
  /** SQL for the sums that are read. As float8, because sums of bigint are exact decimals, which take several times as long. */
  ofCounts: sql.join(
    VALUE_COLUMNS.map((column) =>
      column === 'cost' ? sql`sum(cost) as cost` : sql`coalesce(sum(${sql.ref(column)}::float8), 0) as ${sql.ref(column)}`,
    ),
  ),
}
