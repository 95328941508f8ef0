import { parseArgs } from 'node:util'
import { createVariants, measureChats, startBudgetNodes, useUp, VARIANTS } from './support/budget-nodes.ts'
import { measureRows, type RowFigures } from './support/budget-rows.ts'
import { compare, interleave, MANY_CONNECTIONS, type Round } from './support/measure.ts'
import { exitOnSignals } from './support/own-process.ts'
import { startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import { createScratchDatabase } from './support/scratch-database.ts'
import { spread } from './support/statistics.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Budgets of nodes on one PostgreSQL: what three nodes admit ÷ the limit, what a request costs that a budget counts, and how many calls of
 * the ledger one row carries. See README.md. Exits with 1 when the nodes admit more than 1.02 × a limit.
 */
const { values } = parseArgs({
  options: {
    /** URL of a PostgreSQL on which the benchmark creates databases. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
    rounds: { type: 'string', default: '5' },
    /** Length of a round. */
    seconds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
})
if (values.postgres === '') throw new Error('Give the URL of a PostgreSQL: --postgres URL, or TEST_DATABASE_URL.')
const seconds = Number(values.seconds)
const NODES = 3
const BAR = 1.02
const USE_UP_SECONDS = 12
/** The provider reports 300 tokens for each chat: 0.00066 USD at the prices of the benchmark. */
const LIMITS = [
  { unit: 'usd', limit: 0.33 },
  { unit: 'tokens', limit: 150_000 },
] as const
const NAMES = {
  ...{ none: 'none', hot: 'one for all requests', hotAsking: 'one for all requests, without slices' },
  ...{ hundred: '100, one for each user', hundredAsking: '100, one for each user, without slices' },
}
let missed = false

function chatRows(count: number, rounds: Record<(typeof VARIANTS)[number], readonly Round[]>): string[] {
  return VARIANTS.map((variant) => {
    const of = (figure: (round: Round) => number, digits: number) => spread(rounds[variant].map(figure)).median.toFixed(digits)
    const ratio = spread(compare(rounds[variant], rounds.none, (a, b) => a.rate / b.rate))
    const share = `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)} – ${ratio.max.toFixed(2)})`
    const cells = [count, NAMES[variant], of(({ rate }) => rate, 0), share, of(({ p50 }) => p50, 1), of(({ p99 }) => p99, 1)]
    return `| ${[...cells, of(({ cpu }) => cpu, 2), of(({ helperCpu }) => helperCpu, 2)].join(' | ')} |`
  })
}

const rowLine = (count: number, name: string, { calls, reserved, settled }: RowFigures, than: RowFigures): string => {
  const cells = [
    reserved.toFixed(0),
    (reserved / than.reserved).toFixed(2),
    settled.toFixed(0),
    (settled / than.settled).toFixed(2),
  ]
  return `| ${[count, name, calls.toFixed(3), ...cells].join(' | ')} |`
}

exitOnSignals()
const [admitted, chats] = await scoped(async (stack) => {
  const rig = await startRig(stack)
  const nodes = await startBudgetNodes(stack, rig, values.postgres, NODES)
  const enable = await createVariants(nodes)
  const chatLines: string[] = []
  for (const count of [1, NODES]) {
    const [servers, asking] = [nodes.servers.slice(0, count), nodes.asking.slice(0, count)]
    for (const warm of [servers, asking]) await measureChats(nodes, warm, seconds)
    const run = (variant: (typeof VARIANTS)[number], used: typeof servers) => async () => {
      await enable(variant)
      return measureChats(nodes, used, seconds)
    }
    const runs = {
      ...{ none: run('none', servers), hot: run('hot', servers), hotAsking: run('hotAsking', asking) },
      ...{ hundred: run('hundred', servers), hundredAsking: run('hundredAsking', asking) },
    }
    chatLines.push(...chatRows(count, await interleave(Number(values.rounds), runs)))
    console.log(chatLines.slice(-VARIANTS.length).join('\n'))
  }
  await enable('none')
  const admittedLines: string[] = []
  for (const { unit, limit } of LIMITS) {
    const { share, answers, refused } = await useUp(nodes, unit, limit, USE_UP_SECONDS)
    missed ||= share > BAR || refused === 0
    admittedLines.push(`| ${limit} ${unit} | ${answers - refused} | ${refused} | ${share.toFixed(4)} |`)
  }
  return [admittedLines, chatLines] as const
})
const rows = await scoped(async (stack) => {
  const { url } = stack.use(await createScratchDatabase(values.postgres))
  return measureRows(url, [1, 10, 100], MANY_CONNECTIONS, seconds)
})
const text = [
  '',
  '| limit, 3 nodes | admitted | refused | spent ÷ limit |\n| --- | --: | --: | --: |',
  ...admitted,
  '',
  '| nodes | budgets | chats/s | ÷ none | p50, ms | p99, ms | CPU of nodes, ms | CPU of PostgreSQL, ms |\n| --: | --- | --: | --: | --: | --: | --: | --: |',
  ...chats,
  '',
  '| rows | slices | calls of `budget_reserve` for a request | requests/s | ÷ without slices | with settlement/s | ÷ without slices |\n| --: | --- | --: | --: | --: | --: | --: |',
  ...rows.flatMap(({ rows: count, asking, slices }) => [
    rowLine(count, 'no', asking, asking),
    rowLine(count, 'yes', slices, asking),
  ]),
  '',
].join('\n')
console.log(text)
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'budgets', text)
process.exit(missed ? 1 : 0)
