import { setTimeout as sleep } from 'node:timers/promises'
import { prepareApplication, publishPolicy } from './admin.ts'
import { chatBodies, LONG_MODEL } from './chat-bodies.ts'
import { launchGatehouse } from './gatehouse.ts'
import { compare, FEW_CONNECTIONS, interleave, MANY_CONNECTIONS, measure, type Round, type Size, type Target } from './measure.ts'
import { MemorySamples } from './memory.ts'
import { FORTY_RULES } from './policy.ts'
import { type GatewayUnderTest, type Rig, startGateway } from './rig.ts'
import { type Spread, spread } from './statistics.ts'

/** Lengths of the runs. Each run ends after its number of requests or its seconds, whichever is first. */
export interface Plan {
  readonly rounds: number
  /** Warm-up of each target, because V8 still compiles during the first ten thousand requests. */
  readonly warm: Size
  readonly round: Size
  readonly memory: Size
  readonly starts: number
}

/** Results with one kind of database. Times in milliseconds, memory in megabytes, `…Ratio` relative to the bare proxy. */
export interface GatewayFigures {
  readonly few: UnderLoad
  readonly many: UnderLoad
  readonly streamRatio: Spread
  readonly memory: { readonly requests: number; readonly mb: number; readonly growthPercent: number }
  readonly firstAnswer: Spread
}

/** Results with one number of connections. */
interface UnderLoad {
  readonly cpuRatio: Spread
  readonly eventLoopRatio: Spread
  readonly proxyCpu: Spread
  readonly gatewayCpu: Spread
  readonly ungovernedCpu: Spread
  readonly databaseCpu: Spread
  readonly addedP50: Spread
  readonly addedP99: Spread
  /** Percent of the throughput of the server without governance. */
  readonly throughputLost: Spread
  /** Answers a second. */
  readonly rate: Spread
  readonly ungovernedRate: Spread
}

const BODIES = chatBodies(500)
const LONG_BODIES = chatBodies(100, { model: LONG_MODEL })
const LONG_STREAMS = chatBodies(100, { model: LONG_MODEL, stream: true })
const UNGOVERNED = { script: new URL('./ungoverned.ts', import.meta.url), args: [] }
/** Replaces the policy set of the demo. */
const NO_RULES = 'name: none\nrules: []\n'
const MEMORY_SLICES = 40

/** Plan and resources of a benchmark. */
interface Bench {
  /** Stops the started processes at the end. */
  readonly stack: AsyncDisposableStack
  readonly rig: Rig
  readonly plan: Plan
  /** URL of a PostgreSQL. Absent: the embedded database. */
  readonly postgres: string | undefined
}

/** Measures the gateway with one kind of database. */
export async function gatewayFigures(bench: Bench): Promise<GatewayFigures> {
  const { stack, rig, postgres } = bench
  const kind = postgres ? 'postgresql' : 'embedded'
  const gateway = await startGateway(stack, rig, kind, { postgres })
  await publishPolicy(gateway.gatehouse, FORTY_RULES)
  await prepareApplication(gateway.gatehouse)
  const loads = await compareTargets(bench, gateway)
  const streamRatio = await streamRounds(bench, gateway.target)
  const memory = await memoryFigures(bench, gateway.target)
  await gateway.gatehouse.stop()
  return { ...loads, streamRatio, memory, firstAnswer: await startFigures(bench, gateway) }
}

/** Measures the gateway, the bare proxy, and the gateway without policies, detectors and audit, in turn. */
async function compareTargets({ stack, rig, plan: { rounds, round, warm }, postgres }: Bench, { target }: GatewayUnderTest) {
  const name = `${postgres ? 'postgresql' : 'embedded'}-ungoverned`
  const other = await startGateway(stack, rig, name, { postgres, program: UNGOVERNED })
  await publishPolicy(other.gatehouse, NO_RULES)
  await prepareApplication(other.gatehouse)
  const targets = {
    proxy: { pid: rig.proxy.pid, port: rig.proxy.port, headers: {} },
    gateway: target,
    ungoverned: other.target,
  } satisfies Record<string, Target>
  const run = (on: Target, size: Size, connections: number) => measure(rig.load, on, BODIES, size, connections)
  for (const warmTarget of Object.values(targets)) await run(warmTarget, warm, MANY_CONNECTIONS)
  const measureAt = async (connections: number) =>
    underLoad(
      await interleave(rounds, {
        proxy: () => run(targets.proxy, round, connections),
        gateway: () => run(targets.gateway, round, connections),
        ungoverned: () => run(targets.ungoverned, round, connections),
      }),
    )
  const few = await measureAt(FEW_CONNECTIONS)
  const many = await measureAt(MANY_CONNECTIONS)
  await other.gatehouse.stop()
  return { few, many }
}

function underLoad(results: Readonly<Record<'proxy' | 'gateway' | 'ungoverned', readonly Round[]>>): UnderLoad {
  const against = (of: (gateway: Round, proxy: Round) => number) => spread(compare(results.gateway, results.proxy, of))
  const each = (of: (round: Round) => number, name: keyof typeof results = 'gateway') => spread(results[name].map(of))
  return {
    cpuRatio: against((a, b) => a.cpu / b.cpu),
    eventLoopRatio: against((a, b) => a.mainCpu / b.mainCpu),
    addedP50: against((a, b) => a.p50 - b.p50),
    addedP99: against((a, b) => a.p99 - b.p99),
    throughputLost: spread(compare(results.gateway, results.ungoverned, (a, b) => (1 - a.rate / b.rate) * 100)),
    proxyCpu: each(({ cpu }) => cpu, 'proxy'),
    gatewayCpu: each(({ cpu }) => cpu),
    ungovernedCpu: each(({ cpu }) => cpu, 'ungoverned'),
    databaseCpu: each(({ helperCpu }) => helperCpu),
    rate: each(({ rate }) => rate),
    ungovernedRate: each(({ rate }) => rate, 'ungoverned'),
  }
}

/** Compares a long completion as JSON and as a stream of 100 chunks. */
async function streamRounds({ rig, plan: { rounds, round } }: Bench, target: Target): Promise<Spread> {
  const size = { ...round, requests: round.requests / 2 }
  const { json, stream } = await interleave(rounds, {
    json: () => measure(rig.load, target, LONG_BODIES, size),
    stream: () => measure(rig.load, target, LONG_STREAMS, size),
  })
  return spread(compare(stream, json, (a, b) => a.cpu / b.cpu))
}

async function memoryFigures({ rig, plan: { memory } }: Bench, target: Target): Promise<GatewayFigures['memory']> {
  const samples = new MemorySamples(target.pid)
  const slice = { requests: memory.requests / MEMORY_SLICES, seconds: 30 }
  const deadline = performance.now() + memory.seconds * 1_000
  let requests = 0
  while (requests < memory.requests && performance.now() < deadline) {
    requests += (await measure(rig.load, target, BODIES, slice)).answers
    samples.take(requests)
  }
  return { requests, mb: samples.last, growthPercent: samples.growthPercent }
}

/** Measures the time from the start of the process, on existing data, to the end of the first governed response. */
async function startFigures({ stack, plan: { starts } }: Bench, { options, target }: GatewayUnderTest): Promise<Spread> {
  const times: number[] = []
  for (let start = 0; start < starts; start++) {
    const from = performance.now()
    const { own, port } = await launchGatehouse(options)
    stack.use(own)
    const deadline = from + 30_000
    while (!(await answersChat(port, target.headers))) {
      if (own.hasEnded() || performance.now() > deadline) throw new Error(`no answer after a restart, see ${options.dataDir}.log`)
      await sleep(5)
    }
    times.push(performance.now() - from)
    await own.stop()
  }
  return spread(times)
}

const answersChat = (port: number, headers: Readonly<Record<string, string>>): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: BODIES[1] ?? '',
  }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.ok
    },
    () => false,
  )
