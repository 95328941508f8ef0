import type { Dimension } from '../../../domains/audit/statistics/dimension-values.ts'
import { readGroupLatencies, readLatency } from '../../../domains/audit/statistics/read-latency.ts'
import {
  NO_USAGE,
  readGroupIntervals,
  readGroups,
  readIntervals,
  readTotals,
  subtractUsage,
  sumOfUsage,
  type UsageCounts,
} from '../../../domains/audit/statistics/read-usage.ts'
import type { UsageQuery } from '../../../domains/audit/statistics/usage-query.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { sumsView, totalsView } from './usage-shapes.ts'
import { INTERVALS, startsOf, type UsageTime } from './usage-time.ts'

interface Asked {
  readonly query: UsageQuery
  readonly time: UsageTime
  readonly groupBy: Dimension | undefined
  readonly order: 'requests' | 'tokens' | 'cost' | 'errors'
  readonly limit: number
}

type Report = Awaited<ReturnType<typeof report>>

/** Usage of a time and of the one before, from one state of the counts. */
export const readReport = (db: Db, asked: Asked): Promise<Report> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((tx) => report(tx, asked))

async function report(tx: Tx, asked: Asked) {
  const { query, time } = asked
  const intervals = await readIntervals(tx, query, INTERVALS[time.interval])
  const totals = sumOfUsage([...intervals.values()])
  const latency = await readLatency(tx, query)
  const before = previousOf(query)
  const previous = totalsView(await readTotals(tx, before), await readLatency(tx, before))
  return {
    totals: totalsView(totals, latency),
    previous: { from: before.from.toISOString(), to: before.to.toISOString(), totals: previous },
    series: startsOf(time).map((at) => ({ at: new Date(at).toISOString(), ...sumsView(intervals.get(at) ?? NO_USAGE) })),
    ...(await groupsOf(tx, asked, before, totals)),
  }
}

const previousOf = (query: UsageQuery): UsageQuery => ({
  ...query,
  from: new Date(2 * query.from.getTime() - query.to.getTime()),
  to: query.from,
})

async function groupsOf(tx: Tx, { query, time, groupBy, order, limit }: Asked, before: UsageQuery, totals: UsageCounts) {
  if (groupBy === undefined) return { groups: [], other: null }
  const groups = await readGroups(tx, query, { dimension: groupBy, order, limit })
  const values = [...groups.keys()]
  const earlier = await readGroups(tx, before, { dimension: groupBy, order, limit, values })
  const latencies = await readGroupLatencies(tx, query, groupBy, values)
  const points = await readGroupIntervals(tx, query, { dimension: groupBy, values, seconds: INTERVALS[time.interval] })
  const starts = startsOf(time)
  const other = subtractUsage(totals, sumOfUsage([...groups.values()]))
  return {
    groups: [...groups].map(([value, counts]) => {
      const series = starts.map((at) => points.get(value)?.get(at) ?? NO_USAGE)
      return {
        value,
        totals: totalsView(counts, latencies?.get(value)),
        previous: sumsView(earlier.get(value) ?? NO_USAGE),
        series: {
          requests: series.map(({ requests }) => requests),
          tokens: series.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
          cost: series.map(({ cost }) => cost),
        },
      }
    }),
    other: groups.size < limit ? null : sumsView(other),
  }
}
