import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { recordsOf } from '../audit-store.ts'
import type { AuditRecord } from '../record/record.ts'
import { readLatency, readLatencyIntervals } from './read-latency.ts'
import { readIntervals, sumOfUsage, type UsageCounts } from './read-usage.ts'
import type { UsageQuery } from './usage-query.ts'

export type StatisticsQuery = Pick<UsageQuery, 'workspaceId' | 'applicationId' | 'from' | 'to'>

/** Counts with the duration of the whole requests, at most 5 % off; null: there were no requests, or the interval is shorter than an hour. */
export interface RequestCounts extends UsageCounts {
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export interface Statistics {
  readonly totals: RequestCounts
  /** By the start of the interval, in milliseconds since the epoch. Intervals without records are missing. */
  readonly intervals: ReadonlyMap<number, RequestCounts>
}

const NO_LATENCY = { p50Ms: null, p95Ms: null }

/** Counts per interval of `seconds`, which begins at a multiple of that length in UTC. The time must be rounded (usage-query.ts). */
export async function countRequests(db: Db, query: StatisticsQuery, seconds: number): Promise<Statistics> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const intervals = await readIntervals(tx, query, seconds)
      const latencies = await readLatencyIntervals(tx, query, seconds)
      const latency = await readLatency(tx, query)
      return {
        totals: { ...sumOfUsage([...intervals.values()]), ...(latency?.total ?? NO_LATENCY) },
        intervals: new Map([...intervals].map(([at, counts]) => [at, { ...counts, ...(latencies.get(at) ?? NO_LATENCY) }])),
      }
    })
}

export interface StageTimes {
  readonly name: string
  readonly p50Ms: number
  readonly p95Ms: number
  readonly count: number
}

const SAMPLE_SIZE = 1_000

/** From a sample: the first record of the query in each of a thousand equal parts of the log between the first and the last record of the time. */
export async function stageTimes(db: Db, query: StatisticsQuery): Promise<StageTimes[]> {
  const range = await findSequences(db, query)
  if (!range) return []
  const step = Math.max(Math.ceil((range.last - range.first + 1) / SAMPLE_SIZE), 1)
  const { rows } = await sql<{ body: string }>`
    select body from generate_series(${range.first}::bigint, ${range.last}::bigint, ${step}::bigint) as place
    cross join lateral (
      select body from audit_record
      where workspace_id = ${uuidOf('ws', query.workspaceId)} and sequence >= place and sequence < place + ${step}::bigint
        and endpoint <> 'admin' and created_at >= ${query.from} and created_at < ${query.to}
        ${query.applicationId === undefined ? sql`` : sql`and application_id = ${uuidOf('app', query.applicationId)}`}
      order by sequence limit 1
    ) as record`.execute(db)
  const stages = rows.flatMap(({ body }) => (JSON.parse(body) as AuditRecord).stages)
  return [...Map.groupBy(stages, ({ name }) => name)].map(([name, all]) => {
    const sorted = all.flatMap(({ outcome, ms }) => (outcome === 'skipped' ? [] : [ms])).sort((a, b) => a - b)
    return { name, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95), count: sorted.length }
  })
}

/** The order of the chain is that of the times, but for a commit. */
async function findSequences(
  db: Db,
  { workspaceId, from, to }: StatisticsQuery,
): Promise<{ first: number; last: number } | undefined> {
  const records = recordsOf(db, workspaceId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .select('sequence')
    .limit(1)
  const first = await records.orderBy('created_at').executeTakeFirst()
  const last = await records.orderBy('created_at', 'desc').executeTakeFirst()
  return first && last && { first: first.sequence, last: last.sequence }
}

const quantile = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
