import { parseArgs } from 'node:util'
import { type GatewayFigures, gatewayFigures, type Plan } from './support/gateway-figures.ts'
import { FEW_CONNECTIONS, MANY_CONNECTIONS } from './support/measure.ts'
import { exitOnSignals } from './support/own-process.ts'
import { slowerBy } from './support/reference.ts'
import { startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import type { Spread } from './support/statistics.ts'
import { passes, type Row, toMarkdown, writeBetweenMarks } from './support/table.ts'

/**
 * `npm run bench`: measures the cost of governing a request, compared with a bare Fastify and undici proxy in the same run. See README.md.
 * Exits with 1 when a bar is missed.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    /** URL of a PostgreSQL on which the benchmark creates databases. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
  },
})

const FULL: Plan = {
  // Many short rounds, because the load of the machine changes by the second and each round is compared with the next one.
  rounds: 15,
  warm: { requests: 20_000, seconds: 60 },
  round: { requests: 2_000, seconds: 5 },
  memory: { requests: 50_000, seconds: 60 },
  starts: 5,
}
const QUICK: Plan = {
  rounds: 3,
  warm: { requests: 5_000, seconds: 10 },
  round: { requests: 1_000, seconds: 2 },
  memory: { requests: 10_000, seconds: 8 },
  starts: 1,
}

function toRows({ few, many, memory, ...figures }: GatewayFigures, embedded: boolean): Row[] {
  const slower = slowerBy(few.proxyCpu.median)
  const onReferenceMachine = ({ median, min, max }: Spread): Spread => ({
    median: median / slower,
    min: min / slower,
    max: max / slower,
  })
  const cpuLimits = embedded ? { bar: 4, aim: 3 } : { bar: 3, aim: 2 }
  const [atFew, atMany] = [`at ${FEW_CONNECTIONS} connections`, `at ${MANY_CONNECTIONS} connections`]
  return [
    { what: `CPU per governed chat ÷ bare proxy, ${atMany}`, unit: '×', ...cpuLimits, measured: many.cpuRatio, digits: 2 },
    { what: `CPU per governed chat ÷ bare proxy, ${atFew}`, unit: '×', measured: few.cpuRatio, digits: 2 },
    { what: `event loop alone, ${atMany}`, unit: '×', measured: many.eventLoopRatio, digits: 2 },
    { what: `event loop alone, ${atFew}`, unit: '×', measured: few.eventLoopRatio, digits: 2 },
    { what: `throughput lost by governing, ${atMany}`, unit: ' %', bar: 25, aim: 15, measured: many.throughputLost, digits: 0 },
    { what: `throughput lost by governing, ${atFew}`, unit: ' %', measured: few.throughputLost, digits: 0 },
    { what: 'this machine ÷ the bars’ machine, by the bare proxy’s CPU', unit: '×', measured: slower, digits: 1 },
    {
      what: `added latency ${atFew}, p50, there`,
      unit: ' ms',
      bar: 1,
      aim: 0.5,
      measured: onReferenceMachine(few.addedP50),
      digits: 2,
    },
    {
      what: `added latency ${atFew}, p99, there`,
      unit: ' ms',
      bar: 3,
      aim: 2,
      measured: onReferenceMachine(few.addedP99),
      digits: 2,
    },
    { what: 'stream of 100 chunks ÷ JSON, CPU', unit: '×', bar: 1.3, aim: 1.1, measured: figures.streamRatio, digits: 2 },
    {
      what: 'start to first answer, existing data, there',
      unit: ' ms',
      bar: 1_000,
      aim: 500,
      measured: onReferenceMachine(figures.firstAnswer),
      digits: 0,
    },
    { what: 'memory growth', unit: ' %', bar: 5, measured: memory.growthPercent, digits: 1 },
    { what: 'memory after these requests', unit: ' MB', bar: embedded ? 500 : 300, measured: memory.mb, digits: 0 },
    ...loadRows(many, atMany, embedded),
    ...loadRows(few, atFew, embedded),
  ]
}

/** CPU and throughput at one number of connections. */
function loadRows(load: GatewayFigures['few'], at: string, embedded: boolean): Row[] {
  const cpu = (what: string, measured: Spread): Row => ({ what, measured, unit: ' ms', digits: 3 })
  const rate = (what: string, measured: Spread): Row => ({ what, measured, unit: '', digits: 0 })
  return [
    cpu(`CPU per request ${at}: bare proxy`, load.proxyCpu),
    cpu(`CPU per request ${at}: gateway`, load.gatewayCpu),
    cpu(`CPU per request ${at}: gateway without policies, detectors, audit`, load.ungovernedCpu),
    ...(embedded ? [] : [cpu(`CPU per request ${at}: PostgreSQL’s connections`, load.databaseCpu)]),
    rate(`answers a second ${at}: gateway`, load.rate),
    rate(`answers a second ${at}: gateway without policies, detectors, audit`, load.ungovernedRate),
  ]
}

exitOnSignals()
const plan = values.quick ? QUICK : FULL
const columns: Record<string, readonly Row[]> = {}
let passed = true
for (const [title, postgres] of [
  ['embedded', undefined],
  ['PostgreSQL', values.postgres],
] as const) {
  if (postgres === '') {
    console.log('PostgreSQL is not measured: set --postgres URL or TEST_DATABASE_URL.')
    continue
  }
  const figures = await scoped(async (stack) => gatewayFigures({ stack, rig: await startRig(stack), plan, postgres }))
  const rows = toRows(figures, postgres === undefined)
  passed &&= rows.every(passes)
  columns[title] = rows
  console.log(toMarkdown({ [title]: rows }))
}
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'gateway', `\n${toMarkdown(columns)}\n`)
process.exitCode = passed ? 0 : 1
