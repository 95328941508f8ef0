import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { rollUpRecords } from '../server/src/audit/statistics/roll-up.ts'
import { openDatabase } from '../server/src/db/database.ts'
import { uuidOf } from '../server/src/db/values.ts'
import { writeRecords } from './support/audit-write.ts'
import { fillHistory } from './support/fill-history.ts'
import { fillUsage } from './support/fill-usage.ts'
import { measureHome } from './support/measure-home.ts'
import { createWorkspaces } from './support/node-writers.ts'
import { exitOnSignals } from './support/own-process.ts'
import { scoped } from './support/scoped.ts'
import { createScratchDatabase } from './support/scratch-database.ts'

/**
 * Measures Home and the usage page on PostgreSQL with the counts of many records, and what a record costs the job that counts it. See
 * README.md. Exits with 1 when a bar is missed.
 */
const { values } = parseArgs({
  options: {
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
    /** Records that the job counts. */
    records: { type: 'string', default: '100000' },
    /** Records whose counts are written directly, over 90 days. */
    counted: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '30' },
  },
})
if (values.postgres === '') throw new Error('Give the URL of a PostgreSQL: --postgres URL, or TEST_DATABASE_URL.')
const BAR_MS = 500
const DAYS = 90

/** CPU time of a process on Linux, whose clock has 100 ticks a second. */
function cpuMsOf(pid: number): number {
  const [user = 0, system = 0] =
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? []
  return (user + system) * 10
}

exitOnSignals()
await scoped(async (stack) => {
  const scratch = stack.use(await createScratchDatabase(values.postgres))
  const { url } = scratch
  const [workspaceId = ''] = await createWorkspaces(url, 1)
  await writeRecords({ url, workspaceIds: [workspaceId], concurrency: 1, seconds: 0.2 })
  const database = await openDatabase({ url, dataDir: '', poolSize: 4, onError: () => {}, onProgress: () => {} })
  stack.defer(() => database.close())
  const records = Number(values.records)
  await fillHistory(url, uuidOf('ws', workspaceId), records)
  const cpuMs = async () => (await scratch.backends()).reduce((sum, pid) => sum + cpuMsOf(pid), 0)
  const before = await cpuMs()
  const started = performance.now()
  await rollUpRecords(database.db, workspaceId, { now: new Date() })
  const seconds = (performance.now() - started) / 1_000
  const cpu = ((1_000 * ((await cpuMs()) - before)) / records).toFixed(0)
  console.log(`the job counts ${(records / seconds).toFixed(0)} records a second; a record takes ${cpu} µs of CPU`)
  await fillUsage(database, uuidOf('ws', workspaceId), { records: Number(values.counted), days: DAYS })
  console.log(
    '| range | slowest call: median, 95th percentile | all seven calls at once | CPU of the database |\n| --- | --- | --: | --: |',
  )
  const figures = await measureHome({ database, workspaceId, rounds: Number(values.rounds), cpuMs })
  for (const { range, calls, page, cpuMs: pageCpu } of figures) {
    const [name = '', p50 = Number.NaN, p95 = Number.NaN] = calls[0] ?? []
    console.log(
      `| ${range} | ${name}: ${p50.toFixed(0)}, ${p95.toFixed(0)} ms | ${page.map((ms) => ms.toFixed(0)).join(', ')} ms | ${pageCpu.toFixed(0)} ms |`,
    )
    if (p50 > BAR_MS) process.exitCode = 1
  }
})
