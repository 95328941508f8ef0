import { parseArgs } from 'node:util'
import { startHelper } from './support/helper-process.ts'
import { type ChatFigures, measureChats } from './support/node-chats.ts'
import { measureSends, type SendFigures } from './support/node-sends.ts'
import { createWorkspaces, measureWriters, type WriterFigures } from './support/node-writers.ts'
import { exitOnSignals } from './support/own-process.ts'
import { startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import { createScratchDatabase } from './support/scratch-database.ts'
import { spread } from './support/statistics.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Measures how several nodes on one PostgreSQL share the work: audit records, and governed sends and chats in one Workspace. See README.md. Exits with 1 when a bar is missed.
 */
const { values } = parseArgs({
  options: {
    /** URL of a PostgreSQL on which the benchmark creates databases. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
    /** `writers`, `sends`, `chats`, or several separated by commas. */
    parts: { type: 'string', default: 'writers,sends,chats' },
    seconds: { type: 'string', default: '4' },
    write: { type: 'boolean', default: false },
  },
})
if (values.postgres === '') throw new Error('Give the URL of a PostgreSQL: --postgres URL, or TEST_DATABASE_URL.')
const seconds = Number(values.seconds)

/** Bars as ratios within one run. */
const BARS = { records: 1.3, sends: 1.5, chats: 3, twoNodes: 1.8 }
/** CPU of each node, so that nodes on this machine are as far apart as on machines of their own. */
const CORES = 0.3
const CHAT_ROUNDS = 7
let missed = false

/** `figure` in bold if it misses its bar. */
function judge(figure: number, ok: boolean): string {
  if (!ok) missed = true
  return ok ? figure.toFixed(2) : `**${figure.toFixed(2)}**`
}

const distances = ['beside', '2 ms away'] as const
const of = <T>(figures: readonly T[], index: number): T => {
  const figure = figures[index]
  if (figure === undefined) throw new Error('a figure is missing')
  return figure
}

async function reach(stack: AsyncDisposableStack, url: string, distance: (typeof distances)[number]): Promise<string> {
  if (distance === 'beside') return url
  const relay = stack.use(await startHelper(new URL('./support/delay-relay.ts', import.meta.url), [url]))
  const through = new URL(url)
  through.host = `127.0.0.1:${relay.port}`
  return through.href
}

const writerRow = (title: string, figures: readonly WriterFigures[]): string => {
  const scaling = of(figures, 2).records / of(figures, 0).records
  const ratio = title.startsWith('one') ? judge(scaling, scaling >= BARS.records) : scaling.toFixed(2)
  return `| ${title} | ${figures.map(({ records }) => records.toFixed(0)).join(' | ')} | ${ratio} |`
}

async function writerTable(): Promise<string[]> {
  const rows: string[] = []
  for (const distance of distances)
    for (const count of [1, 6]) {
      const figures = await scoped(async (stack) => {
        const database = stack.use(await createScratchDatabase(values.postgres))
        const ids = await createWorkspaces(database.url, count)
        return measureWriters({ url: await reach(stack, database.url, distance), workspaceIds: ids, seconds, cores: CORES })
      })
      rows.push(writerRow(`${count === 1 ? 'one Workspace' : 'six Workspaces'}, database ${distance}`, figures))
      console.log(rows.at(-1))
    }
  return ['| records a second | 1 node | 2 nodes | 3 nodes | 3 ÷ 1 |', '| --- | --: | --: | --: | --: |', ...rows]
}

/** Where the database is, and the CPU of each node; absent: nodes and database share all cores. */
interface SendSetup {
  readonly distance: (typeof distances)[number]
  readonly cores?: number
}

const SEND_SETUPS: readonly SendSetup[] = [
  ...distances.map((distance) => ({ distance, cores: CORES })),
  { distance: '2 ms away' },
]

async function sendFigures({ distance, cores }: SendSetup): Promise<SendFigures[]> {
  return scoped(async (stack) => {
    const rig = await startRig(stack)
    const through = (url: string) => reach(stack, url, distance)
    const figures = await measureSends(stack, rig, { postgres: values.postgres, through, nodes: [1, 2, 3], seconds, cores })
    console.log(distance, cores ?? 'all cores', JSON.stringify(figures))
    return figures
  })
}

async function sendTable(): Promise<string[]> {
  const rows: string[] = []
  for (const setup of SEND_SETUPS) {
    const figures = await sendFigures(setup)
    const [one, two, three] = [of(figures, 0), of(figures, 1), of(figures, 2)]
    const scaling = three.sends / one.sends
    const chats = three.chatsBeside / three.chatsAlone
    const hasShare = setup.cores !== undefined
    const cells = [
      `database ${setup.distance}${hasShare ? '' : ', all cores'}`,
      ...[one.sends.toFixed(0), two.sends.toFixed(0), three.sends.toFixed(0)],
      hasShare ? judge(scaling, scaling >= BARS.sends) : scaling.toFixed(2),
      `${three.chatsAlone.toFixed(0)} → ${three.chatsBeside.toFixed(0)}`,
      hasShare ? judge(chats, chats <= BARS.chats) : chats.toFixed(2),
    ]
    rows.push(`| ${cells.join(' | ')} |`)
    console.log(rows.at(-1))
  }
  const head = '| governed sends a second | 1 node | 2 nodes | 3 nodes | 3 ÷ 1 | p99 of chats on 3 nodes, ms | beside ÷ alone |'
  return [head, '| --- | --: | --: | --: | --: | --: | --: |', ...rows]
}

async function chatTable(): Promise<string[]> {
  const [one, two] = await scoped(async (stack) =>
    measureChats(stack, await startRig(stack), { postgres: values.postgres, cores: CORES, rounds: CHAT_ROUNDS, seconds }),
  )
  if (!one || !two) throw new Error('a figure is missing')
  const ratio = spread(two.rates.map((rate, round) => rate / of(one.rates, round)))
  const range = `${judge(ratio.median, ratio.median >= BARS.twoNodes)} (${ratio.min.toFixed(2)} – ${ratio.max.toFixed(2)})`
  const rate = ({ rates }: ChatFigures) => spread(rates).median.toFixed(0)
  const rows = [
    '| governed chats a second, 40 rules | 1 node | 2 nodes | 2 ÷ 1 |',
    '| --- | --: | --: | --: |',
    `| one Workspace, ${CORES} cores for each node | ${rate(one)} | ${rate(two)} | ${range} |`,
  ]
  console.log(rows.at(-1))
  return rows
}

exitOnSignals()
const writers = values.parts.includes('writers') ? [...(await writerTable()), ''] : []
const sends = values.parts.includes('sends') ? [...(await sendTable()), ''] : []
const chats = values.parts.includes('chats') ? [...(await chatTable()), ''] : []
const text = ['', ...writers, ...sends, ...chats].join('\n')
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'nodes', text)
process.exit(missed ? 1 : 0)
