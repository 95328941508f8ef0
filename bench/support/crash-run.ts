import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { clearTheWay, publishPolicy } from './admin.ts'
import { startCountingProvider } from './counting-provider.ts'
import { ACTIONS, CRASH_RULES } from './crash-actions.ts'
import { checkCalls, checkRecords, checkReleases, checkRepeatedRequests, checkStates } from './crash-checks.ts'
import { CrashClient } from './crash-client.ts'
import { CrashLedger } from './crash-ledger.ts'
import { type Gatehouse, type GatehouseOptions, gatehouseEnv, launchGatehouse, startGatehouse } from './gatehouse.ts'
import { startProcess } from './own-process.ts'
import { between, pick, type Random, seeded } from './random.ts'
import { scoped } from './scoped.ts'
import { createScratchDatabase } from './scratch-database.ts'

export interface CrashOptions {
  /** How often the server is killed under load. */
  readonly times: number
  /** Chooses the moments and what the actors do; how the machine interleaves them stays its own affair. */
  readonly seed: number
  /** A PostgreSQL on which a database may be made; only the gateway is killed. Absent: embedded, killed with the gateway. */
  readonly postgres?: string | undefined
  /** A data folder to start from; saves the seconds that the first start takes. */
  readonly template?: string
  readonly say?: (line: string) => void
}

export interface CrashReport {
  readonly kills: { readonly underLoad: number; readonly atStart: number }
  readonly answers: number
  readonly holds: number
  readonly released: number
  /** Results that were asked for again, and were the same. */
  readonly repeats: number
  /** Releases that a crash cut between the provider's call and its answer; the gateway refuses to call again. */
  readonly interrupted: number
  /** Empty, or the gateway has broken a promise. */
  readonly violations: readonly string[]
}

const AFTER_LEASE = { script: new URL('./after-lease.ts', import.meta.url), args: [] }
const ACTORS = 12
/** The moment of a kill: so many answers after the start of the load, on whatever machine, and then so many milliseconds. */
const MOMENT = { answers: 100, ms: 40, atMostMs: 4_000 }
/** One kill in eight comes while the server starts, within this time. */
const START_MS = 800
/** Looked up right after each restart: the last answers are those that a crash endangers. The others wait for the end. */
const ENDANGERED = 40

/** Kills the server under load, again and again on the same data, and compares what it promised with what it kept. */
export const runCrash = (options: CrashOptions): Promise<CrashReport> => scoped((stack) => run(stack, options))

async function run(
  stack: AsyncDisposableStack,
  { times, seed, postgres, template, say = () => {} }: CrashOptions,
): Promise<CrashReport> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-crash-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const provider = stack.use(await startCountingProvider(seeded(seed)))
  const database = postgres ? stack.use(await createScratchDatabase(postgres)) : undefined
  const options = { dataDir: join(folder, 'data'), providerPort: provider.port, databaseUrl: database?.url, logLevel: 'warn' }
  if (template !== undefined) await cp(template, options.dataDir, { recursive: true })

  const ledger = new CrashLedger()
  const random = seeded(seed)
  let server = await startGatehouse(options)
  stack.defer(() => server.stop())
  await publishPolicy(server, CRASH_RULES)
  await clearTheWay(server)
  const kills = { underLoad: 0, atStart: 0 }
  while (kills.underLoad < times && ledger.violations.length === 0) {
    const known = ledger.answers.size
    await killUnderLoad(server, random, { ledger, seed: seed * 1_000 + kills.underLoad, claimsStay: database !== undefined })
    kills.underLoad++
    if (random() < 1 / 8) {
      await killAtStart(options, between(random, 0, START_MS))
      kills.atStart++
    }
    server = await startGatehouse(options)
    await check(server, ledger, (checked) => checkRecords([...ledger.answers.keys()].slice(known).slice(-ENDANGERED), checked))
    const { answers, violations } = ledger
    say(`${kills.underLoad}/${times}: killed after ${answers.size - known} answers, ${violations.length} violations`)
  }
  if (database) {
    await server.stop()
    server = await startGatehouse({ ...options, program: AFTER_LEASE })
  }
  await checkAll(server, ledger, provider.calls)
  await server.stop()
  await verifyChain(options, ledger)
  return { kills, ...summary(ledger) }
}

const summary = ({ answers, holds, repeats, violations }: CrashLedger): Omit<CrashReport, 'kills'> => ({
  answers: answers.size,
  holds: holds.length,
  released: holds.filter(({ result }) => result !== undefined).length,
  repeats,
  interrupted: holds.filter(({ interrupted }) => interrupted).length,
  violations,
})

interface Load {
  readonly ledger: CrashLedger
  readonly seed: number
  readonly claimsStay: boolean
}

async function killUnderLoad(server: Gatehouse, random: Random, { ledger, seed, claimsStay }: Load): Promise<void> {
  const client = new CrashClient(server)
  const actors = Array.from({ length: ACTORS }, async (_, index) => {
    const stage = { client, ledger, random: seeded(seed * 100 + index), claimsStay }
    while (await pick(stage.random, ACTIONS)(stage));
  })
  const enough = ledger.answers.size + between(random, 0, MOMENT.answers)
  const deadline = performance.now() + MOMENT.atMostMs
  while (ledger.answers.size < enough && performance.now() < deadline) await sleep(1)
  await sleep(between(random, 0, MOMENT.ms))
  if (server.hasEnded()) ledger.violated('the server ended by itself')
  await server.kill()
  await Promise.all(actors)
  await client.close()
}

async function killAtStart(options: GatehouseOptions, ms: number): Promise<void> {
  const { own } = await launchGatehouse(options)
  await sleep(ms)
  await own.kill()
}

async function checkAll(server: Gatehouse, ledger: CrashLedger, calls: (marker: string) => number): Promise<void> {
  await check(server, ledger, async (checked) => {
    await checkStates(checked)
    checkCalls(ledger, calls)
    await checkRepeatedRequests(checked)
    await checkReleases(checked)
    await checkStates(checked)
    checkCalls(ledger, calls)
    await checkRecords([...ledger.answers.keys()], checked)
  })
}

async function check(
  server: Gatehouse,
  ledger: CrashLedger,
  work: (checked: { client: CrashClient; ledger: CrashLedger }) => Promise<void>,
): Promise<void> {
  const client = new CrashClient(server)
  await work({ client, ledger })
  await client.close()
}

/** `gatehouse audit verify`, as an auditor would run it. */
async function verifyChain(options: GatehouseOptions, ledger: CrashLedger): Promise<void> {
  const { child, ended } = startProcess(fileURLToPath(new URL('../../server/src/main.ts', import.meta.url)), {
    args: ['audit', 'verify'],
    env: gatehouseEnv(options, 0),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk) => (said += chunk))
  await ended
  if (child.exitCode !== 0) ledger.violated(`gatehouse audit verify: exit ${child.exitCode}: ${said.slice(-1_000)}`)
}
