import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { prepareApplication, publishPolicy } from './admin.ts'
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
  /** Number of times that the server is killed under load. */
  readonly times: number
  /** Seed of the times of the kills and of the actions. Their interleaving still varies. */
  readonly seed: number
  /** URL of a PostgreSQL, which is not killed. Absent: the embedded database, which is killed with the gateway. */
  readonly postgres?: string | undefined
  /** Data folder that is copied at the start, to save the time of a first start. */
  readonly template?: string
  readonly say?: (line: string) => void
}

export interface CrashReport {
  readonly kills: { readonly underLoad: number; readonly atStart: number }
  readonly answers: number
  readonly holds: number
  readonly released: number
  /** Number of repeated releases with an equal result. */
  readonly repeats: number
  /** Releases that a crash interrupted during the provider request, which the gateway does not repeat. */
  readonly interrupted: number
  /** Broken guarantees; empty if all hold. */
  readonly violations: readonly string[]
}

const AFTER_LEASE = { script: new URL('./after-lease.ts', import.meta.url), args: [] }
const ACTORS = 12
/** Time of a kill: after at most so many responses since the start of the load, and then at most so many milliseconds. */
const KILL_AFTER = { answers: 100, ms: 40, atMostMs: 4_000 }
/** One kill in eight happens within this time of a server start. */
const START_MS = 800
/** Number of last records that are checked after each restart. The others are checked at the end. */
const CHECKED_AFTER_RESTART = 40

/** Kills the server repeatedly under load on the same data and checks its guarantees. */
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
  await prepareApplication(server)
  const kills = { underLoad: 0, atStart: 0 }
  while (kills.underLoad < times && ledger.violations.length === 0) {
    const known = ledger.answers.size
    await killUnderLoad(server, random, {
      ledger,
      seed: seed * 1_000 + kills.underLoad,
      claimsOutliveNodes: database !== undefined,
    })
    kills.underLoad++
    if (random() < 1 / 8) {
      await killAtStart(options, between(random, 0, START_MS))
      kills.atStart++
    }
    server = await startGatehouse(options)
    await check(server, ledger, (checked) =>
      checkRecords([...ledger.answers.keys()].slice(known).slice(-CHECKED_AFTER_RESTART), checked),
    )
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
  readonly claimsOutliveNodes: boolean
}

async function killUnderLoad(server: Gatehouse, random: Random, { ledger, seed, claimsOutliveNodes }: Load): Promise<void> {
  const client = new CrashClient(server)
  const actors = Array.from({ length: ACTORS }, async (_, index) => {
    const context = { client, ledger, random: seeded(seed * 100 + index), claimsOutliveNodes }
    while (await pick(context.random, ACTIONS)(context));
  })
  const enough = ledger.answers.size + between(random, 0, KILL_AFTER.answers)
  const deadline = performance.now() + KILL_AFTER.atMostMs
  while (ledger.answers.size < enough && performance.now() < deadline) await sleep(1)
  await sleep(between(random, 0, KILL_AFTER.ms))
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

/** Runs `gatehouse audit verify`. */
export async function verifyChain(options: GatehouseOptions, ledger: CrashLedger): Promise<void> {
  const { child, ended } = startProcess(fileURLToPath(new URL('../../server/dist/main.mjs', import.meta.url)), {
    args: ['audit', 'verify'],
    env: gatehouseEnv(options, 0),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  await ended
  if (child.exitCode !== 0) ledger.violated(`gatehouse audit verify: exit ${child.exitCode}: ${output.slice(-1_000)}`)
}
