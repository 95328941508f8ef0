import { readReport } from '../../server/src/admin/usage/usage-report.ts'
import { INTERVALS, timeOf } from '../../server/src/admin/usage/usage-time.ts'
import { DIMENSIONS, type Dimension } from '../../server/src/audit/statistics/dimension-values.ts'
import { stageTimes } from '../../server/src/audit/statistics/stage-times.ts'
import { countRequests } from '../../server/src/audit/statistics/statistics.ts'
import type { Database } from '../../server/src/db/database.ts'
import { quantile } from './statistics.ts'

const HOUR_MS = 3_600_000

/** Ranges of Home's period control, and days in the past, each in hours before now. */
const RANGES = {
  hour: [1, 0],
  day: [24, 0],
  week: [7 * 24, 0],
  '30 days': [30 * 24, 0],
  '90 days': [90 * 24, 0],
  'custom: 40 days': [73 * 24, 33 * 24],
} as const

export interface HomeFigures {
  readonly range: string
  /** Median and 95th percentile of each call in milliseconds, slowest first. */
  readonly calls: readonly (readonly [name: string, p50: number, p95: number])[]
  /** All calls of the page at the same time. */
  readonly page: readonly [p50: number, p95: number]
  /** CPU time of the database for one page. */
  readonly cpuMs: number
}

interface Measured {
  readonly database: Database
  readonly workspaceId: string
  readonly rounds: number
  /** CPU time of the database so far. */
  readonly cpuMs: () => Promise<number>
}

/** Runs the calls of Home (features/home of the dashboard) for each range: one after the other, then all at once. */
export async function measureHome({ database, workspaceId, rounds, cpuMs }: Measured): Promise<readonly HomeFigures[]> {
  const figures: HomeFigures[] = []
  for (const [range, hours] of Object.entries(RANGES)) {
    const calls = callsOf(database, workspaceId, hours)
    const times = new Map(Object.keys(calls).map((name) => [name, [] as number[]]))
    const pages: number[] = []
    for (let round = 0; round < rounds; round++)
      for (const [name, call] of Object.entries(calls)) times.get(name)?.push(await timed(call))
    const before = await cpuMs()
    for (let round = 0; round < rounds; round++)
      pages.push(await timed(() => Promise.all(Object.values(calls).map((call) => call()))))
    const cpu = ((await cpuMs()) - before) / rounds
    const each = [...times].map(([name, all]) => [name, ...quantiles(all)] as const).toSorted((a, b) => b[1] - a[1])
    figures.push({ range, calls: each, page: quantiles(pages), cpuMs: cpu })
  }
  return figures
}

function callsOf({ db }: Database, workspaceId: string, [from, to]: readonly [number, number]) {
  const now = new Date()
  const asked = {
    from: new Date(now.getTime() - from * HOUR_MS).toISOString(),
    to: new Date(now.getTime() - to * HOUR_MS).toISOString(),
  }
  const usage = (groupBy: Dimension | undefined) => () => {
    const time = timeOf(asked, now, groupBy === 'user')
    return readReport(db, { query: { workspaceId, from: time.from, to: time.to }, time, groupBy, order: 'requests', limit: 5 })
  }
  const overview = async () => {
    const time = timeOf(asked, now)
    await countRequests(db, { workspaceId, ...time }, INTERVALS[time.interval])
    await stageTimes(db, { workspaceId, ...time })
  }
  const breakdowns = DIMENSIONS.map((dimension) => [`usage by ${dimension}`, usage(dimension)] as const)
  return { overview, usage: usage(undefined), ...Object.fromEntries(breakdowns) } as Record<string, () => Promise<unknown>>
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await task()
  return performance.now() - from
}

function quantiles(times: readonly number[]): [p50: number, p95: number] {
  const sorted = times.toSorted((a, b) => a - b)
  return [quantile(sorted, 0.5), quantile(sorted, 0.95)]
}
