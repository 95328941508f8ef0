import { parseArgs } from 'node:util'
import { searchRecords } from '../server/src/audit/search-records.ts'
import { rollUpRecords } from '../server/src/audit/statistics/roll-up.ts'
import { countRequests } from '../server/src/audit/statistics/statistics.ts'
import { type Database, openDatabase } from '../server/src/db/database.ts'
import { uuidOf } from '../server/src/db/values.ts'
import { writeRecords } from './support/audit-write.ts'
import { fillHistory } from './support/fill-history.ts'
import { createWorkspaces } from './support/node-writers.ts'
import { exitOnSignals } from './support/own-process.ts'
import { scoped } from './support/scoped.ts'
import { createScratchDatabase } from './support/scratch-database.ts'
import { quantile } from './support/statistics.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Measures the lists of the audit log, the counts of Home and appends with a short and with a long history on PostgreSQL. See README.md. Exits
 * with 1 when a bar is missed.
 */
const { values } = parseArgs({
  options: {
    /** URL of a PostgreSQL on which the benchmark creates databases. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
    /** Records of each database. */
    sizes: { type: 'string', default: '10000,1000000' },
    rounds: { type: 'string', default: '30' },
    write: { type: 'boolean', default: false },
  },
})
if (values.postgres === '') throw new Error('Give the URL of a PostgreSQL: --postgres URL, or TEST_DATABASE_URL.')
const ROUNDS = Number(values.rounds)
/** Milliseconds, for Home and for each list. */
const BAR_MS = 100
const APPEND_SECONDS = 4
const DAY_MS = 86_400_000

const page = { limit: 50 }
type Search = Parameters<typeof searchRecords>[2]
/** Rare values that no record has together, beside frequent ones. */
const LISTS: Readonly<Record<string, Search>> = {
  'audit records, first page': page,
  'audit records of a user': { ...page, userHashes: ['user 7'] },
  'audit records of an unknown user': { ...page, userHashes: ['none'] },
  'audit records denied': { ...page, verdict: 'deny' },
  'audit records escalated, of which there are none': { ...page, verdict: 'escalate' },
  'audit records of failed requests (5xx)': { ...page, status: { from: 500, to: 599 } },
  'audit records denied and of high risk, of which there are none': { ...page, verdict: 'deny', riskLevel: 'high' },
}

/** Median and 95th percentile in milliseconds, by name. */
type Figures = ReadonlyMap<string, { readonly p50: number; readonly p95: number }>

async function measure(database: Database, workspaceId: string): Promise<Figures> {
  const { db } = database
  const now = Date.now()
  const home = { workspaceId, from: new Date(now - 30 * DAY_MS), to: new Date(now) }
  const tasks: Record<string, () => Promise<unknown>> = {
    'Home over 30 days, in intervals of a day': () => countRequests(db, home, 86_400),
    ...Object.fromEntries(Object.entries(LISTS).map(([name, filter]) => [name, () => searchRecords(db, workspaceId, filter)])),
  }
  const times = new Map(Object.keys(tasks).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, task] of Object.entries(tasks)) {
      const from = performance.now()
      await task()
      times.get(name)?.push(performance.now() - from)
    }
  return new Map(
    [...times].map(([name, all]) => {
      const sorted = all.toSorted((a, b) => a - b)
      return [name, { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }]
    }),
  )
}

interface Measured {
  readonly records: number
  readonly lists: Figures
  readonly appends: number
}

const measureSize = (records: number): Promise<Measured> =>
  scoped(async (stack) => {
    const { url } = stack.use(await createScratchDatabase(values.postgres))
    const [workspaceId = ''] = await createWorkspaces(url, 1)
    const spec = { url, workspaceIds: [workspaceId] }
    await writeRecords({ ...spec, concurrency: 1, seconds: 0.2 })
    const database = await openDatabase({ url, dataDir: '', poolSize: 2, onError: () => {}, onProgress: () => {} })
    stack.defer(() => database.close())
    await fillHistory(url, uuidOf('ws', workspaceId), records)
    await rollUpRecords(database.db, workspaceId, { now: new Date() })
    const lists = await measure(database, workspaceId)
    const { records: written, seconds } = await writeRecords({ ...spec, concurrency: 64, seconds: APPEND_SECONDS })
    return { records, lists, appends: written / seconds }
  })

exitOnSignals()
const measured: Measured[] = []
for (const size of values.sizes.split(',')) measured.push(await measureSize(Number(size)))
const last = measured.at(-1)
if (!last) throw new Error('no size is given')
let missed = false
const rows = [...last.lists.keys()].map((name) => {
  const cells = measured.map(({ lists }) => lists.get(name) ?? { p50: Number.NaN, p95: Number.NaN })
  const worst = cells.at(-1)?.p50 ?? 0
  missed ||= worst > BAR_MS
  return `| ${name} | ${cells.map(({ p50, p95 }) => `${p50.toFixed(1)}, ${p95.toFixed(1)} ms`).join(' | ')} |${worst > BAR_MS ? ' **missed** |' : ' |'}`
})
const text = [
  '',
  `| median, 95th percentile | ${measured.map(({ records }) => `${records.toLocaleString('en')} records`).join(' | ')} | |`,
  `| --- | ${measured.map(() => '--:').join(' | ')} | --- |`,
  ...rows,
  `| appends a second, 64 at a time | ${measured.map(({ appends }) => appends.toFixed(0)).join(' | ')} | |`,
  '',
].join('\n')
console.log(text)
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'history', text)
process.exitCode = missed ? 1 : 0
