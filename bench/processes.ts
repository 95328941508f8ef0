import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { publishPolicy } from './support/admin.ts'
import { chatBodies } from './support/chat-bodies.ts'
import { startGatehouse } from './support/gatehouse.ts'
import { interleave, MANY_CONNECTIONS, measure, type Round, type Target } from './support/measure.ts'
import { exitOnSignals } from './support/own-process.ts'
import { FORTY_RULES } from './support/policy.ts'
import { residentMb } from './support/process-stats.ts'
import { type Rig, startGateway, startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import { spread } from './support/statistics.ts'
import { type Row, toMarkdown, writeBetweenMarks } from './support/table.ts'

/** Chats a second, CPU per chat, memory and start time of a node with one and with two processes, on PostgreSQL. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    /** Length of a round. */
    seconds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
    /** URL of a PostgreSQL on which the benchmark creates databases. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
  },
})
const BODIES = chatBodies(64)
// The generator is another process, and JSON has no infinity.
const SIZE = { requests: Number.MAX_SAFE_INTEGER, seconds: Number(values.seconds) }

/** Process ids of the serving processes of a primary process. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number)

/** A node after a restart. `pids`: its processes, of which the first serves or is the primary process. */
async function startNode(stack: AsyncDisposableStack, rig: Rig, processes: number) {
  const { gatehouse, options, target } = await startGateway(stack, rig, `processes-${processes}`, {
    postgres: values.postgres,
    processes,
  })
  // The demo's own rules hold some of the chats.
  await publishPolicy(gatehouse, FORTY_RULES)
  const limits = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 1_000 }
  for (const { id } of gatehouse.demo.applications)
    await fetch(`http://127.0.0.1:${gatehouse.port}/admin/v1/applications/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${gatehouse.demo.admin_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ limits }),
    })
  await gatehouse.stop()
  const startedAt = performance.now()
  const again = stack.use(await startGatehouse(options))
  const startMs = performance.now() - startedAt
  const others = processes === 1 ? 0 : processes
  while (childrenOf(again.pid).length < others) await sleep(50)
  // The last process needs a moment until it serves.
  await sleep(3_000)
  const workers = async () => (others === 0 ? [] : childrenOf(again.pid))
  return {
    processes,
    startMs,
    pid: again.pid,
    target: { ...target, pid: again.pid, port: again.port, helpers: workers } satisfies Target,
  }
}

type Node = Awaited<ReturnType<typeof startNode>>

function rowsOf({ processes, startMs, pid }: Node, rounds: readonly Round[]): Row[] {
  const memory = [pid, ...(processes === 1 ? [] : childrenOf(pid))].map(residentMb)
  const name = processes === 1 ? 'one process' : `${processes} processes`
  return [
    {
      what: `${name}: chats a second, ${MANY_CONNECTIONS} connections`,
      unit: '',
      measured: spread(rounds.map(({ rate }) => rate)),
      digits: 0,
    },
    {
      what: `${name}: CPU per chat, all processes`,
      unit: ' ms',
      measured: spread(rounds.map(({ cpu, helperCpu }) => cpu + helperCpu)),
      digits: 2,
    },
    { what: `${name}: start to the first answer`, unit: ' s', measured: startMs / 1_000, digits: 1 },
    ...memory.map((mb, index) => ({
      what: `${name}: memory after the load, ${processes > 1 && index === 0 ? 'primary process' : `process ${Math.max(1, index)}`}`,
      unit: ' MB',
      measured: mb,
      digits: 0,
    })),
  ]
}

exitOnSignals()
const rows = await scoped(async (stack) => {
  const rig = await startRig(stack)
  const nodes = [await startNode(stack, rig, 1), await startNode(stack, rig, 2)] as const
  const run = ({ target }: Node) => measure(rig.load, target, BODIES, SIZE, MANY_CONNECTIONS)
  const [one, two] = nodes
  const rounds = await interleave(Number(values.rounds), { one: () => run(one), two: () => run(two) })
  return [...rowsOf(one, rounds.one), ...rowsOf(two, rounds.two)]
})
console.log(toMarkdown(rows))
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'processes', `\n${toMarkdown(rows)}\n`)
