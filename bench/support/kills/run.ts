import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyChain } from '../crash-run.ts'
import { between, pick, seeded } from '../random.ts'
import { scoped } from '../scoped.ts'
import { RunningChecks } from './checks.ts'
import { type Entrance, Refusals } from './clients.ts'
import { checkEvents, checkWithoutKills } from './final-checks.ts'
import { chooseKind } from './kinds.ts'
import type { KillLedger } from './ledger.ts'
import { KillLoad } from './load.ts'
import { ResumingReader } from './messages.ts'
import type { KillableNode } from './node.ts'
import { openSetting, type Setting } from './setting.ts'

export interface KillsOptions {
  /** Number of kills after which the run ends. */
  readonly kills: number
  /** Seed of the kinds and times of the kills. How requests and kills interleave still varies. */
  readonly seed: number
  /** URL of a PostgreSQL on this machine, whose programs start a cluster for the run. It is not touched itself. */
  readonly postgres: string
  /** An empty folder for the data and the logs of the run. */
  readonly folder: string
  readonly say?: (line: string) => void
}

export interface KillsReport {
  readonly kills: Readonly<Record<string, number>>
  readonly answers: number
  readonly holds: number
  readonly released: number
  /** Releases that a kill interrupted during the provider request, which the gateway does not repeat. */
  readonly interrupted: number
  readonly messages: number
  /** Events of messages that each reader received. */
  readonly events: readonly number[]
  readonly memories: number
  readonly erased: number
  /** Requests without a response, and responses 429 and 503. */
  readonly refused: Readonly<Record<string, number>>
  /** Broken guarantees; empty if all hold. */
  readonly violations: readonly string[]
}

/** Time of a kill: after so many answers since the last one, but no later than the limit, and then so many milliseconds. */
const KILL_AFTER = { answers: 12, atMostMs: 2_500, ms: 200 }
/** The chain is verified by the command line after so many kills, and at the end. */
const KILLS_PER_VERIFICATION = 100
const READY_MS = 120_000

/** Kills nodes, the database and the network under load and checks the guarantees. The folder is kept after a violation. */
export async function runKills(options: KillsOptions): Promise<KillsReport> {
  let remove = () => {}
  const report = await scoped(async (stack) => {
    const setting = await openSetting(stack, options)
    remove = setting.remove
    return run(stack, setting, options)
  })
  if (report.violations.length === 0) {
    remove()
    rmSync(options.folder, { recursive: true, force: true, maxRetries: 3 })
  }
  return report
}

async function run(stack: AsyncDisposableStack, setting: Setting, options: KillsOptions): Promise<KillsReport> {
  const { nodes, demo, postgres, ledger } = setting
  const { seed } = options
  const random = seeded(seed)
  const entrance: Entrance = {
    demo,
    /** Any node that was ready and is not known to be killed. */
    get port() {
      const ready = nodes.filter(({ isReady }) => isReady)
      return pick(random, ready.length > 0 ? ready : nodes).port
    },
  }
  const readers = [0, 1].map((index) => new ResumingReader(index, { ledger, entrance }))
  stack.defer(() => {
    for (const reader of readers) reader.close()
  })
  for (const reader of readers) await reader.begun()
  const refusals = new Refusals()
  const load = new KillLoad({ entrance, ledger, refusals, seed })
  const checks = new RunningChecks(postgres, ledger, load.chatters)
  try {
    await killRepeatedly(setting, options, checks)
  } finally {
    await load.stop()
  }
  for (const node of nodes) await node.ready()
  await checks.run()
  await checkEvents(postgres, ledger, readers)
  for (const reader of readers) reader.close()
  await checkWithoutKills(setting)
  await checks.run()
  return reportOf(ledger, readers, refusals)
}

async function killRepeatedly(
  { nodes, postgres, ledger, options: server }: Setting,
  { kills, seed, say = () => {} }: KillsOptions,
  checks: RunningChecks,
): Promise<void> {
  const start = performance.now()
  while (ledger.killed < kills && ledger.violations.length === 0) {
    const random = seeded(seed * 100_003 + ledger.killed)
    const known = ledger.answers.size
    await twoReady(nodes)
    const deadline = performance.now() + KILL_AFTER.atMostMs
    const enough = known + between(random, 1, KILL_AFTER.answers)
    while (ledger.answers.size < enough && performance.now() < deadline) await sleep(5)
    await sleep(between(random, 0, KILL_AFTER.ms))
    const { name, apply } = chooseKind(random)
    await apply({ nodes, postgres }, random)
    ledger.kills.set(name, (ledger.kills.get(name) ?? 0) + 1)
    await checks.run()
    if (ledger.killed % KILLS_PER_VERIFICATION === 0) await verifyChain(server, ledger)
    const seconds = ((performance.now() - start) / 1_000).toFixed(1)
    say(
      `${seconds} s: ${ledger.killed}/${kills} ${name}, ${ledger.answers.size - known} answers, ${ledger.violations.length} violations`,
    )
  }
}

/** Waits until two nodes run, so that there is load at each kill. */
async function twoReady(nodes: readonly KillableNode[]): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (nodes.filter(({ isReady }) => isReady).length < 2) {
    if (performance.now() > deadline) throw new Error(`two nodes are not ready after ${READY_MS / 1_000} s: read their log`)
    await sleep(20)
  }
}

function reportOf(ledger: KillLedger, readers: readonly ResumingReader[], refusals: Refusals): KillsReport {
  return {
    kills: Object.fromEntries(ledger.kills),
    answers: ledger.answers.size,
    holds: ledger.holds.length,
    released: ledger.holds.filter(({ result }) => result !== undefined).length,
    interrupted: ledger.holds.filter(({ interrupted }) => interrupted).length,
    messages: ledger.messages.length,
    events: readers.map(({ received }) => received.filter(([, type]) => type === 'message.created').length),
    memories: ledger.memories.size,
    erased: [...ledger.erased.values()].filter(Boolean).length,
    refused: Object.fromEntries(refusals.counts),
    violations: ledger.violations,
  }
}
