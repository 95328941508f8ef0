import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { uuidOf } from '../../db/values.ts'
import { VERDICTS, type Verdict } from '../../domain/decision.ts'
import { BUCKET_OF_RECORD, type DurationCounts, durationQuantile } from './duration-buckets.ts'
import { ALL_APPLICATIONS, RECORD_COUNTS } from './record-counts.ts'

/** Records to count: `from` inclusive, `to` exclusive. */
export interface StatisticsQuery {
  readonly workspaceId: string
  readonly applicationId?: string
  readonly from: Date
  readonly to: Date
}

/** Counts of one interval or of all intervals, without operators' changes. */
export interface RequestCounts {
  readonly requests: number
  readonly verdicts: Readonly<Record<Verdict, number>>
  /** Failed requests: no response and no verdict against them. */
  readonly errors: number
  readonly tokens: number
  /** Part of `tokens` that providers read from their caches. */
  readonly cachedTokens: number
  /** null: no model had a price. */
  readonly cost: number | null
  /** Duration of the whole request, at most 5 % off; null: there were no requests. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export interface Statistics {
  readonly totals: RequestCounts
  /** By the start of the interval, in milliseconds since the epoch. Intervals without records are missing. */
  readonly intervals: ReadonlyMap<number, RequestCounts>
}

/**
 * Counts per interval of `seconds`, which begins at a multiple of that length in UTC. Whole hours come from the roll-ups, and only the records
 * of partial hours and those that no roll-up counts yet are read, so the cost does not depend on the number of records. While the records of an
 * older version are rolled up for the first time, later ones are missing.
 */
export async function countRequests(db: Db, query: StatisticsQuery, seconds: number): Promise<Statistics> {
  // Both queries count the same records only if they see the same state.
  const [counts, durations] = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => [await readCounts(tx, query, seconds), await readDurations(tx, query, seconds)] as const)
  const byInterval = Map.groupBy(durations, ({ at }) => at.getTime())
  return {
    totals: totalOf(counts, durations),
    intervals: new Map(counts.map((row) => [row.at.getTime(), totalOf([row], byInterval.get(row.at.getTime()) ?? [])])),
  }
}

interface CountsRow extends Readonly<Record<Verdict, number>> {
  readonly at: Date
  readonly requests: number
  readonly errors: number
  readonly tokens: number
  readonly cached_tokens: number
  readonly cost: number | null
}

interface DurationsRow {
  readonly at: Date
  readonly bucket: number
  readonly requests: number
}

const COLUMNS = ['requests', ...VERDICTS, 'errors', 'tokens', 'cached_tokens'] as const

async function readCounts(db: Db, query: StatisticsQuery, seconds: number): Promise<readonly CountsRow[]> {
  const sums = COLUMNS.map((name) => sql`sum(${sql.ref(name)})::float8 as ${sql.ref(name)}`)
  const { rows } = await sql<CountsRow>`
    select ${intervalOf(sql`at`, seconds)} as at, ${sql.join(sums)}, sum(cost) as cost
    from (
      select hour as at, ${sql.join([...COLUMNS, 'cost'].map((name) => sql.ref(name)))} from audit_rollup where ${wholeHours(query)}
      union all
      select * from (
        select ${intervalOf(sql`created_at`, seconds)} as at, ${RECORD_COUNTS} from ${uncounted(query)} as record group by 1
      ) as counted
    ) as part
    group by 1`.execute(db)
  return rows
}

async function readDurations(db: Db, query: StatisticsQuery, seconds: number): Promise<readonly DurationsRow[]> {
  const { rows } = await sql<DurationsRow>`
    select ${intervalOf(sql`at`, seconds)} as at, bucket, sum(requests)::float8 as requests
    from (
      select hour as at, bucket, requests from audit_rollup_duration where ${wholeHours(query)}
      union all
      select created_at, ${BUCKET_OF_RECORD}, 1 from ${uncounted(query)} as record
    ) as part
    group by 1, 2`.execute(db)
  return rows
}

/** Records after the roll-up's position that are read: more than a node records between two runs of the job. */
const MAX_UNCOUNTED = 50_000

const EPOCH = sql`timestamptz 'epoch'`
const HOUR_MS = 3_600_000

/** SQL for the start of the interval that contains a time. */
const intervalOf = (time: RawBuilder<unknown>, seconds: number) =>
  sql`date_bin(make_interval(secs => ${sql.lit(seconds)}), ${time}, ${EPOCH})`

/** The whole hours within the time of a query; `start` is not before `end` if there is none. */
function hoursOf({ from, to }: StatisticsQuery): { readonly start: Date; readonly end: Date } {
  const start = new Date(Math.ceil(from.getTime() / HOUR_MS) * HOUR_MS)
  const end = new Date(Math.floor(to.getTime() / HOUR_MS) * HOUR_MS)
  return start < end ? { start, end } : { start: to, end: to }
}

const ownerOf = ({ workspaceId, applicationId }: StatisticsQuery) =>
  sql`workspace_id = ${uuidOf('ws', workspaceId)}${
    applicationId === undefined ? sql`` : sql` and application_id = ${uuidOf('app', applicationId)}`
  }`

function wholeHours(query: StatisticsQuery) {
  const { start, end } = hoursOf(query)
  const application = query.applicationId === undefined ? ALL_APPLICATIONS : uuidOf('app', query.applicationId)
  return sql`workspace_id = ${uuidOf('ws', query.workspaceId)} and application_id = ${application} and hour >= ${start} and hour < ${end}`
}

/** The records of the query that `wholeHours` does not count: those of partial hours, and those after the roll-up's position. */
function uncounted(query: StatisticsQuery) {
  const { from, to } = query
  const { start, end } = hoursOf(query)
  const counted = sql`${ownerOf(query)} and endpoint <> 'admin'`
  const workspace = uuidOf('ws', query.workspaceId)
  const through = sql`coalesce((select through from audit_rollup_position where workspace_id = ${workspace}), 0)`
  return sql`(
    select ${RECORD_COLUMNS} from audit_record where ${counted} and created_at >= ${from} and created_at < ${start}
    union all
    select ${RECORD_COLUMNS} from audit_record where ${counted} and created_at >= ${end} and created_at < ${to}
    union all
    select ${RECORD_COLUMNS} from (
      select * from audit_record
      where workspace_id = ${workspace} and sequence > ${through} and sequence <= ${through} + ${sql.lit(MAX_UNCOUNTED)}
      -- Otherwise the index of times would be read instead of the one of sequences.
      offset 0
    ) as newer where ${counted} and created_at >= ${start} and created_at < ${end}
  )`
}

const RECORD_COLUMNS = sql`created_at, verdict, status, tokens, cache_read_tokens, cost, duration_ms`

function totalOf(counts: readonly CountsRow[], durations: readonly DurationsRow[]): RequestCounts {
  const sum = (name: (typeof COLUMNS)[number]): number => counts.reduce((total, row) => total + row[name], 0)
  const costs = counts.flatMap(({ cost }) => cost ?? [])
  const byBucket = sumByBucket(durations)
  return {
    requests: sum('requests'),
    verdicts: Object.fromEntries(VERDICTS.map((verdict) => [verdict, sum(verdict)])) as RequestCounts['verdicts'],
    errors: sum('errors'),
    tokens: sum('tokens'),
    cachedTokens: sum('cached_tokens'),
    cost: costs.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0),
    p50Ms: durationQuantile(byBucket, 0.5),
    p95Ms: durationQuantile(byBucket, 0.95),
  }
}

function sumByBucket(rows: readonly DurationsRow[]): DurationCounts {
  const counts = new Map<number, number>()
  for (const { bucket, requests } of rows) counts.set(bucket, (counts.get(bucket) ?? 0) + requests)
  return counts
}
