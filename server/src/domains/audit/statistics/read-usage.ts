import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { Verdict } from '../../../shared/decision.ts'
import { type Dimension, fromUuidOrText } from './dimension-values.ts'
import { VALUE_SUMS } from './usage-facts.ts'
import type { UsageQuery } from './usage-query.ts'
import { usageSource } from './usage-source.ts'
import { HOUR_MS } from './usage-spans.ts'

/** Counts of requests, without operators' changes. */
export interface UsageCounts {
  readonly requests: number
  readonly verdicts: Readonly<Record<Verdict, number>>
  /** Failed requests: no response and no verdict against them. */
  readonly errors: number
  readonly inputTokens: number
  /** Part of `inputTokens` that providers read from their caches. */
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number
  /** In USD; null: no model had a price. */
  readonly cost: number | null
  /** Sums of milliseconds: of the requests, and of their attempts at providers. */
  readonly durationMs: number
  readonly providerMs: number
}

export const NO_USAGE: UsageCounts = {
  requests: 0,
  verdicts: { allow: 0, escalate: 0, require_approval: 0, deny: 0 },
  errors: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cost: null,
  durationMs: 0,
  providerMs: 0,
}

interface CountsRow extends Readonly<Record<Verdict, number>> {
  readonly requests: number
  readonly errors: number
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
  readonly reasoning_tokens: number
  readonly cost: number | null
  readonly duration_ms: number
  readonly provider_ms: number
}

/** Sums over the whole time. */
export async function readTotals(db: Db, query: UsageQuery): Promise<UsageCounts> {
  const source = await usageSource(db, query, { longest: 'week' })
  const { rows } = await sql<CountsRow>`select ${VALUE_SUMS.ofCounts} from ${source} as part`.execute(db)
  return rows[0] ? countsOf(rows[0]) : NO_USAGE
}

/** Sums for each interval of `seconds`, which begins at a multiple of that length in UTC, by its start in milliseconds. Empty ones are missing. */
export async function readIntervals(db: Db, query: UsageQuery, seconds: number): Promise<ReadonlyMap<number, UsageCounts>> {
  const source = await usageSource(db, query, { longest: spanOf(seconds) })
  const { rows } = await sql<CountsRow & { readonly start: Date }>`
    select ${startOf(seconds)} as start, ${VALUE_SUMS.ofCounts} from ${source} as part group by 1`.execute(db)
  return new Map(rows.map((row) => [row.start.getTime(), countsOf(row)]))
}

interface Grouping {
  readonly dimension: Dimension
  readonly order: 'requests' | 'tokens' | 'cost' | 'errors'
  readonly limit: number
  /** Only these values. */
  readonly values?: readonly string[]
}

/** The largest groups, by their value. */
export async function readGroups(db: Db, query: UsageQuery, grouping: Grouping): Promise<ReadonlyMap<string, UsageCounts>> {
  const { dimension, values } = grouping
  const largest = values ?? (await readLargest(db, query, grouping))
  if (largest.length === 0) return new Map()
  const source = await usageSource(db, query, { longest: 'week', dimension, values: largest })
  const { rows } = await sql<CountsRow & { readonly value: string }>`
    select value, ${VALUE_SUMS.ofCounts} from ${source} as part group by value`.execute(db)
  const counts = new Map(rows.map((row) => [fromUuidOrText(dimension, row.value), countsOf(row)]))
  return new Map(largest.flatMap((value) => (counts.has(value) ? [[value, counts.get(value) ?? NO_USAGE]] : [])))
}

/** Values of the largest groups in order. Only what orders them is summed for all values. */
async function readLargest(db: Db, query: UsageQuery, { dimension, order, limit }: Grouping): Promise<readonly string[]> {
  const measure = {
    requests: sql`sum(requests::float8)`,
    tokens: sql`sum((input_tokens + output_tokens)::float8)`,
    cost: sql`sum(cost)`,
    errors: sql`sum(errors::float8)`,
  }[order]
  const source = await usageSource(db, query, { longest: 'week', dimension })
  const { rows } = await sql<{ readonly value: string }>`
    select value from ${source} as part
    group by value order by ${measure} desc nulls last, sum(requests::float8) desc, value limit ${limit}`.execute(db)
  return rows.map(({ value }) => fromUuidOrText(dimension, value))
}

/** Sums of groups for each interval, as in `readIntervals`. */
export async function readGroupIntervals(
  db: Db,
  query: UsageQuery,
  { dimension, values, seconds }: { readonly dimension: Dimension; readonly values: readonly string[]; readonly seconds: number },
): Promise<ReadonlyMap<string, ReadonlyMap<number, UsageCounts>>> {
  const source = await usageSource(db, query, { longest: spanOf(seconds), dimension, values })
  const { rows } = await sql<CountsRow & { readonly value: string; readonly start: Date }>`
    select value, ${startOf(seconds)} as start, ${VALUE_SUMS.ofCounts} from ${source} as part group by 1, 2`.execute(db)
  return new Map(
    [...Map.groupBy(rows, (row) => row.value)].map(([value, of]) => [
      fromUuidOrText(dimension, value),
      new Map(of.map((row) => [row.start.getTime(), countsOf(row)])),
    ]),
  )
}

const DAY_SECONDS = 86_400
const spanOf = (seconds: number) => (seconds >= DAY_SECONDS ? 'day' : seconds >= HOUR_MS / 1_000 ? 'hour' : 'minute')

const EPOCH = sql`timestamptz 'epoch'`
/** SQL for the start of the interval that contains a row. */
const startOf = (seconds: number) => sql`date_bin(make_interval(secs => ${sql.lit(seconds)}), at, ${EPOCH})`

const countsOf = (row: CountsRow): UsageCounts => ({
  requests: row.requests,
  verdicts: { allow: row.allow, escalate: row.escalate, require_approval: row.require_approval, deny: row.deny },
  errors: row.errors,
  inputTokens: row.input_tokens,
  cachedTokens: row.cached_tokens,
  outputTokens: row.output_tokens,
  reasoningTokens: row.reasoning_tokens,
  cost: row.cost,
  durationMs: row.duration_ms,
  providerMs: row.provider_ms,
})
