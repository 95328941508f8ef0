import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { Verdict } from '../../../shared/decision.ts'
import { type Dimension, fromUuidOrText } from './dimension-values.ts'
import { rollUpNewestRecords } from './roll-up.ts'
import { VALUE_SUMS } from './usage-facts.ts'
import type { UsageQuery } from './usage-query.ts'
import { usageSource } from './usage-source.ts'
import { floorTo, HOUR_MS } from './usage-spans.ts'
import { noUsageSums, type UsageSums } from './usage-sums.ts'

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

type CountsRow = Readonly<UsageSums & Record<Verdict, number>>

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

export const NO_USAGE: UsageCounts = countsOf({ ...noUsageSums(), allow: 0, escalate: 0, require_approval: 0, deny: 0 })

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

const DAYS = 30
const DAY_MS = 86_400_000

/**
 * SQL for `requests` and `cost` of each Application in the last 30 days; `value` is its UUID as text. Whole days in UTC, because their counts
 * have fewer rows than those of hours, and a list by requests reads those of all Applications.
 */
export async function usageOfApplications(db: Db, workspaceId: string, now: Date): Promise<RawBuilder<unknown>> {
  await rollUpNewestRecords(db, workspaceId, now)
  const to = new Date(floorTo(DAY_MS, now).getTime() + DAY_MS)
  const from = new Date(to.getTime() - DAYS * DAY_MS)
  const source = await usageSource(db, { workspaceId, from, to }, { longest: 'week', dimension: 'application' })
  return sql`(select value, sum(requests::float8) as requests, sum(cost) as cost from ${source} as part group by value)`
}

const NUMBERS = [
  'requests',
  'errors',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
  'reasoningTokens',
  'durationMs',
  'providerMs',
] as const

export const sumOfUsage = (all: readonly UsageCounts[]): UsageCounts =>
  all.reduce((sum, counts) => combine(sum, counts, 1), NO_USAGE)

/** The usage that is in `whole` and not in `part`. */
export const subtractUsage = (whole: UsageCounts, part: UsageCounts): UsageCounts => combine(whole, part, -1)

function combine(one: UsageCounts, other: UsageCounts, sign: 1 | -1): UsageCounts {
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, one[name] + sign * other[name]]))
  const verdicts = Object.fromEntries(
    Object.entries(one.verdicts).map(([name, count]) => [
      name,
      count + sign * other.verdicts[name as keyof UsageCounts['verdicts']],
    ]),
  )
  const cost = one.cost === null && other.cost === null ? null : (one.cost ?? 0) + sign * (other.cost ?? 0)
  return { ...numbers, verdicts, cost } as UsageCounts
}
