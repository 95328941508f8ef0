import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Context, createContext } from '../server/src/context.ts'
import { createWorkspaceKeys } from '../server/src/domains/audit/workspace-keys.ts'
import { createWorkspace } from '../server/src/domains/identity/workspace-store.ts'
import { recurringJobs } from '../server/src/domains/jobs/recurring-jobs.ts'
import { readConfig } from '../server/src/platform/config/config.ts'
import { readSecrets } from '../server/src/platform/config/secrets.ts'
import { newId } from '../server/src/platform/lib/id.ts'
import { createLogger } from '../server/src/platform/telemetry/logger.ts'
import { testDraft } from '../server/test/support/audit.ts'
import { type Hold, measureHold } from './support/measure-hold.ts'
import { exitOnSignals } from './support/own-process.ts'
import { scoped } from './support/scoped.ts'
import { spread } from './support/statistics.ts'

/**
 * Longest time that each recurring job keeps the embedded database, or the event loop, from a chat. See README.md. Exits with 1 when a bar is
 * missed.
 */
const { values } = parseArgs({
  options: {
    /** Records in the log at the start; a fifth of them have expired. */
    records: { type: 'string', default: '100000' },
    /** Records that are added before each round. */
    added: { type: 'string', default: '3000' },
    users: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    /** Jobs whose names contain this text. */
    only: { type: 'string', default: '' },
  },
})
const BAR_MS = 50
const DAY_MS = 86_400_000
const AT_ONCE = 32
/** Jobs that change what the others measure; they run once, at the end. */
const LAST = ['end audit retention', 'vacuum of the embedded database']

let ageMs = 500 * DAY_MS
const clock = { now: () => new Date(Date.now() - ageMs) }

async function openContext(stack: AsyncDisposableStack): Promise<Context> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-holds-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const env = { GATEHOUSE_DATA: folder, GATEHOUSE_DEMO: '0', LOG_LEVEL: 'error' }
  const config = { ...readConfig(env), configFile: join(folder, 'none.yaml') }
  const log = createLogger('error', 'bench')
  const context = await createContext(config, readSecrets(env, config), { clock, log })
  stack.defer(() => context.close())
  return context
}

async function addRecords({ audit }: Context, workspaceId: string, count: number): Promise<void> {
  let left = count
  const loop = async (): Promise<void> => {
    for (; left > 0; left -= 1) {
      const user = { id: (left % Number(values.users)).toString(16).padStart(64, '0'), verified: true, role: '', department: '' }
      await audit.append(workspaceId, testDraft(workspaceId, { created_at: clock.now().toISOString(), user }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, loop))
}

exitOnSignals()
await scoped(async (stack) => {
  const context = await openContext(stack)
  const workspaceId = newId('ws')
  const keys = createWorkspaceKeys(context.workspaceBox, workspaceId)
  await context.db.transaction().execute((tx) => createWorkspace(tx, workspaceId, { name: 'holds' }, keys, new Date()))
  const jobs = recurringJobs(context).filter(({ name }) => name.includes(values.only))
  const runAll = async () => {
    for (const job of recurringJobs(context).filter(({ name }) => !LAST.includes(name))) await job.run()
  }
  const total = Number(values.records)
  for (let step = 0; step < 10; step++) {
    if (step === 2) ageMs = 0
    await addRecords(context, workspaceId, total / 10)
    await runAll()
  }
  const holds = new Map<string, Hold[]>()
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const job of jobs.filter(({ name }) => !LAST.includes(name))) {
      if (job === jobs[0] || /audit/.test(job.name)) await addRecords(context, workspaceId, Number(values.added))
      holds.set(job.name, [...(holds.get(job.name) ?? []), await measureHold(context.db, job.run)])
    }
  }
  for (const job of jobs.filter(({ name }) => LAST.includes(name))) holds.set(job.name, [await measureHold(context.db, job.run)])
  console.log('| job | database, ms | event loop, ms | the whole run, ms | CPU, ms |\n| --- | --: | --: | --: | --: |')
  for (const [name, all] of holds) {
    const show = (of: (hold: Hold) => number) => {
      const { median, max } = spread(all.map(of))
      return `${median.toFixed(1)} (${max.toFixed(1)})`
    }
    console.log(
      `| ${name} | ${show(({ databaseMs }) => databaseMs)} | ${show(({ loopMs }) => loopMs)} | ${show(({ totalMs }) => totalMs)} | ${show(({ cpuMs }) => cpuMs)} |`,
    )
    if (spread(all.map(({ databaseMs, loopMs }) => Math.max(databaseMs, loopMs))).median > BAR_MS) process.exitCode = 1
  }
})
