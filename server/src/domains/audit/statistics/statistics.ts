import type { Db } from '../../../platform/db/database.ts'
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
