import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { CamelRow } from '../../../platform/db/from-row.ts'
import { camelCase } from '../../../platform/lib/camel-case.ts'
import { VERDICTS, type Verdict } from '../../../shared/decision.ts'
import { rollUpNewestRecords } from './roll-up.ts'
import { type UsageQuery, usageSource } from './usage-query.ts'
import { DAY_MS, floorTo, intervalStart, SPAN_MS } from './usage-spans.ts'
import { fromUuidOrText, type Grouping, isNumber, noUsageSums, SUM_COLUMNS, type UsageSums } from './usage-sums.ts'

/** Sums of requests, without operators' changes. `cost` is in USD; null: no model had a price. */
export interface UsageCounts extends CamelRow<UsageSums> {
  readonly verdicts: Readonly<Record<Verdict, number>>
}

type CountsRow = Readonly<UsageSums & Record<Verdict, number>>

const countsOf = (row: CountsRow): UsageCounts => ({
  ...(Object.fromEntries(SUM_COLUMNS.map((column) => [camelCase(column), row[column]])) as unknown as CamelRow<UsageSums>),
  verdicts: { allow: row.allow, escalate: row.escalate, require_approval: row.require_approval, deny: row.deny },
})

export const NO_USAGE: UsageCounts = countsOf({ ...noUsageSums(), allow: 0, escalate: 0, require_approval: 0, deny: 0 })

/** As float8, because sums of bigint are exact decimals, which take several times as long. */
const SUMS = sql.join(
  [...SUM_COLUMNS, ...VERDICTS].map((column) =>
    column === 'cost' ? sql`sum(cost) as cost` : sql`coalesce(sum(${sql.ref(column)}::float8), 0) as ${sql.ref(column)}`,
  ),
)

interface Grouped {
  /** Length of the intervals, which begin at multiples of it in UTC. Absent: the whole time. */
  readonly seconds?: number
  readonly dimension?: Grouping
  readonly values?: readonly string[]
}

/** Sums by value and interval. Empty ones are missing. `start`: in milliseconds. */
async function readSums(db: Db, query: UsageQuery, { seconds, dimension, values }: Grouped) {
  const source = await usageSource(db, query, { longest: longestSpan(seconds), dimension, values })
  const { rows } = await sql<CountsRow & { readonly value: string; readonly start: Date | null }>`
    select ${dimension ? sql`value` : sql`''`} as value, ${seconds === undefined ? sql`null::timestamptz` : intervalStart(seconds)} as start,
      ${SUMS} from ${source} as part group by 1, 2`.execute(db)
  return rows.map((row) => ({
    value: dimension ? fromUuidOrText(dimension, row.value) : '',
    start: row.start?.getTime() ?? 0,
    counts: countsOf(row),
  }))
}

function longestSpan(seconds: number | undefined) {
  if (seconds === undefined) return 'week'
  const ms = seconds * 1_000
  return ms >= DAY_MS ? 'day' : ms >= SPAN_MS.hour ? 'hour' : 'minute'
}

export const readTotals = async (db: Db, query: UsageQuery): Promise<UsageCounts> =>
  (await readSums(db, query, {}))[0]?.counts ?? NO_USAGE

export const readIntervals = async (db: Db, query: UsageQuery, seconds: number): Promise<ReadonlyMap<number, UsageCounts>> =>
  new Map((await readSums(db, query, { seconds })).map(({ start, counts }) => [start, counts]))

interface LargestGroups {
  readonly dimension: Grouping
  readonly order: 'requests' | 'tokens' | 'cost' | 'errors'
  readonly limit: number
  readonly values?: readonly string[]
}

export async function readGroups(db: Db, query: UsageQuery, wanted: LargestGroups): Promise<ReadonlyMap<string, UsageCounts>> {
  const { dimension, values = await readLargest(db, query, wanted) } = wanted
  if (values.length === 0) return new Map()
  const rows = await readSums(db, query, { dimension, values })
  const counts = new Map(rows.map((row) => [row.value, row.counts]))
  return new Map(values.flatMap((value) => (counts.has(value) ? [[value, counts.get(value) ?? NO_USAGE]] : [])))
}

/** Values of the largest groups in order. Only what orders them is summed for all values. */
async function readLargest(db: Db, query: UsageQuery, { dimension, order, limit }: LargestGroups): Promise<readonly string[]> {
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

export async function readGroupIntervals(
  db: Db,
  query: UsageQuery,
  grouping: Required<Grouped>,
): Promise<ReadonlyMap<string, ReadonlyMap<number, UsageCounts>>> {
  const byValue = Map.groupBy(await readSums(db, query, grouping), ({ value }) => value)
  return new Map([...byValue].map(([value, rows]) => [value, new Map(rows.map(({ start, counts }) => [start, counts]))]))
}

const DAYS = 30

/** SQL for `requests` and `cost` of each Application (`value`: UUID) in the last 30 days, which are whole, in UTC: their counts have fewer rows. */
export async function usageOfApplications(db: Db, workspaceId: string, now: Date): Promise<RawBuilder<unknown>> {
  await rollUpNewestRecords(db, workspaceId, now)
  const to = new Date(floorTo(DAY_MS, now).getTime() + DAY_MS)
  const from = new Date(to.getTime() - DAYS * DAY_MS)
  const source = await usageSource(db, { workspaceId, from, to }, { longest: 'week', dimension: 'application' })
  return sql`(select value, sum(requests::float8) as requests, sum(cost) as cost from ${source} as part group by value)`
}

export const sumOfUsage = (all: readonly UsageCounts[]): UsageCounts =>
  all.reduce((sum, counts) => combine(sum, counts, 1), NO_USAGE)

export const subtractUsage = (whole: UsageCounts, part: UsageCounts): UsageCounts => combine(whole, part, -1)

const NUMBERS = SUM_COLUMNS.filter(isNumber).map(camelCase)

function combine(one: UsageCounts, other: UsageCounts, sign: 1 | -1): UsageCounts {
  const add = <Name extends string>(names: readonly Name[], a: Record<Name, number>, b: Record<Name, number>) =>
    Object.fromEntries(names.map((name) => [name, a[name] + sign * b[name]]))
  const verdicts = add(Object.keys(one.verdicts) as Verdict[], one.verdicts, other.verdicts)
  const cost = one.cost === null && other.cost === null ? null : (one.cost ?? 0) + sign * (other.cost ?? 0)
  return { ...add(NUMBERS, one, other), verdicts, cost } as UsageCounts
}
