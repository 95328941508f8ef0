/**
 * Nodes that admit requests beyond and below a limit: what they admit together ÷ the limit, exchanges with the store, and the time that an
 * admission takes. Each node has its own connections; all run in this process, so the figures are of the leases alone.
 * Reads TEST_DATABASE_URL. The table of bench/README.md is its output.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../server/src/db/database.ts'
import { DEFAULT_LIMITS } from '../server/src/domain/principal.ts'
import { Limiter } from '../server/src/limits/limiter.ts'
import { Exchanger } from '../server/src/limits/shared/exchanger.ts'
import { postgresStore } from '../server/src/limits/shared/postgres-store.ts'
import { sharedCounters } from '../server/src/limits/shared/shared-counters.ts'
import { createScratchDatabase } from './support/scratch-database.ts'

const SECONDS = 5
const ANSWER_MS = 5

interface Load {
  readonly name: string
  readonly perMinute: number
  readonly burst: number
  /** Requests offered in a second. */
  readonly offered: number
}

const LOADS: readonly Load[] = [
  { name: '5 × the limit', perMinute: 6_000, burst: 60, offered: 500 },
  { name: '3 × a high limit', perMinute: 60_000, burst: 600, offered: 3_000 },
  { name: 'a third of the limit', perMinute: 60_000, burst: 600, offered: 330 },
]

interface Node {
  readonly exchanger: Exchanger
  readonly limiter: Limiter
  close(): Promise<void>
}

async function openNode(url: string): Promise<Node> {
  const database = await openDatabase({ url, dataDir: '', poolSize: 2, onError: console.error, onProgress: () => {} })
  const exchanger = new Exchanger(postgresStore(database.db))
  const limiter = new Limiter(undefined, sharedCounters(exchanger))
  return {
    exchanger,
    limiter,
    close: async () => {
      await exchanger.close()
      await database.close()
    },
  }
}

async function run(nodes: readonly Node[], { perMinute, burst, offered }: Load) {
  const limits = { ...DEFAULT_LIMITS, requests_per_minute: perMinute, burst, concurrency: 10_000 }
  const application = { id: `app_${crypto.randomUUID()}`, limits }
  const times: number[] = []
  let admitted = 0
  const send = async ({ limiter }: Node): Promise<void> => {
    const startedAt = performance.now()
    const answer = limiter.admit(application, 0)
    const admission = answer instanceof Promise ? await answer : answer
    times.push(performance.now() - startedAt)
    if (!admission.ok) return
    admitted += 1
    await sleep(ANSWER_MS)
    admission.lease.release(0)
  }
  const exchangesBefore = exchangesOf(nodes)
  const startedAt = performance.now()
  const running: Promise<void>[] = []
  for (let passed = 0; passed < SECONDS; passed = (performance.now() - startedAt) / 1_000) {
    while (running.length < passed * offered) running.push(send(nodes[running.length % nodes.length] as Node))
    await sleep(2)
  }
  await Promise.all(running)
  const seconds = (performance.now() - startedAt) / 1_000
  times.sort((a, b) => a - b)
  return {
    share: admitted / Math.min(running.length, burst + (perMinute / 60) * seconds),
    exchanges: (exchangesOf(nodes) - exchangesBefore) / seconds,
    p50: times[Math.floor(times.length / 2)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  }
}

const exchangesOf = (nodes: readonly Node[]): number => nodes.reduce((sum, { exchanger }) => sum + exchanger.statistics.ok, 0)

const serverUrl = process.env.TEST_DATABASE_URL
if (serverUrl === undefined) throw new Error('TEST_DATABASE_URL is missing: set it to the URL of a PostgreSQL')
const database = await createScratchDatabase(serverUrl)
console.log('| nodes | load | admitted ÷ limit | exchanges/s | admission p50, p99 |\n|---|---|---|---|---|')
try {
  for (const count of [1, 2, 3]) {
    const nodes: Node[] = []
    for (let i = 0; i < count; i++) nodes.push(await openNode(database.url))
    for (const load of LOADS) {
      const { share, exchanges, p50, p99 } = await run(nodes, load)
      const times = `${p50.toFixed(2)}, ${p99.toFixed(1)} ms`
      console.log(`| ${count} | ${load.name} | ${share.toFixed(3)} | ${exchanges.toFixed(0)} | ${times} |`)
    }
    for (const node of nodes) await node.close()
  }
} finally {
  await database[Symbol.asyncDispose]()
}
