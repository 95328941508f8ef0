import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type MessagingFigures, messagingFigures, OPERATIONS, type Operation } from './support/messaging-figures.ts'
import { exitOnSignals } from './support/own-process.ts'
import { slownessNow } from './support/reference.ts'
import { startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Measures messaging with a million and with ten thousand messages: reads, sends, searches and event delivery. See README.md.
 * Exits with 1 when a bar is missed.
 */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    conversations: { type: 'string', default: '10000' },
    /** Messages in the embedded database, with as many in each conversation. 0: it is not measured. */
    'embedded-messages': { type: 'string', default: '200000' },
    streams: { type: 'string', default: '1000' },
    /** URL of a PostgreSQL on which the benchmark creates databases. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
    write: { type: 'boolean', default: false },
  },
})

const READS = ['list', 'newest', 'further'] as const
const ALL = Object.keys(OPERATIONS) as Operation[]
/** The full amount is compared with an amount that is smaller by this factor. */
const SMALLER_BY = 100
const BARS = { readP95: 10, sends: 1_000, deliveryP99: 250 }

let missed = false
/** Formats a figure, in bold type if it misses its bar. */
function formatWithBar(figure: number, ok: boolean, digits = 1): string {
  if (!ok) missed = true
  return ok ? figure.toFixed(digits) : `**${figure.toFixed(digits)}**`
}

interface Measured {
  readonly title: string
  readonly isPostgres: boolean
  readonly messages: number
  readonly conversations: number
  readonly full: MessagingFigures
  readonly less: MessagingFigures
  /** How many times slower this machine is than the reference machine of the bars. Figures are corrected by it. */
  readonly slower: number
}

function toSection({ title, isPostgres, messages, conversations, full, less, slower }: Measured): string {
  const reads: readonly Operation[] = READS
  const rows = ALL.flatMap((operation) => {
    const round = full.rounds[operation]
    if (!round) return []
    const { p50, p95, rate, cpu, helperCpu } = round
    const isSend = !reads.includes(operation) && operation.match(/^(send|governed)$/)
    const cells = [
      OPERATIONS[operation],
      p50.toFixed(1),
      reads.includes(operation) ? formatWithBar(p95, p95 / slower <= BARS.readP95) : p95.toFixed(1),
      less.rounds[operation] ? `${less.rounds[operation].p50.toFixed(1)} / ${less.rounds[operation].p95.toFixed(1)}` : '',
      isSend ? formatWithBar(rate, !isPostgres || rate * slower >= BARS.sends, 0) : '',
      cpu.toFixed(2),
      isPostgres ? helperCpu.toFixed(2) : '',
    ]
    return [`| ${cells.join(' | ')} |`]
  })
  const { population, delivery } = full
  const deliveryText = delivery
    ? `A message's event on ${delivery.streams} open streams, after the message's answer: p50 ${delivery.p50.toFixed(0)} ms, p99 ${formatWithBar(
        delivery.p99,
        delivery.p99 / slower <= BARS.deliveryP99 && delivery.missing === 0,
        0,
      )} ms (bar ${BARS.deliveryP99}), the last ${delivery.most.toFixed(0)} ms; ${delivery.missing} of ${
        delivery.messages * delivery.streams
      } missing; ${(delivery.cpu * 1_000).toFixed(0)} µs of the server's CPU each.`
    : ''
  return [
    `**${title}: ${messages} messages in ${conversations} conversations, ${population.users} users**`,
    '',
    `|  | p50 ms | p95 ms | p50 / p95 among ${messages / SMALLER_BY} | a second | CPU, server ms | CPU, PostgreSQL ms |`,
    '| --- | --: | --: | --: | --: | --: | --: |',
    ...rows,
    '',
    `${deliveryText} Loaded in ${population.loadedInSeconds.toFixed(0)} s. This machine is ${slower.toFixed(1)} times slower than the reference machine. Load of the machine (1, 5 minutes): ${loadavg()
      .slice(0, 2)
      .map((load) => load.toFixed(1))
      .join(', ')}.`,
  ].join('\n')
}

exitOnSignals()
const perConversation = Number(values.messages) / Number(values.conversations)
const sections: string[] = []
for (const [title, postgres, count] of [
  ['PostgreSQL', values.postgres, Number(values.messages)],
  ['Embedded', undefined, Number(values['embedded-messages'])],
] as const) {
  if (postgres === '' || count === 0) continue
  const amountOf = (messages: number) => ({ messages, conversations: Math.round(messages / perConversation) })
  const run = (messages: number, operations: readonly Operation[], streams: number) =>
    scoped(async (stack) =>
      messagingFigures(stack, await startRig(stack), { amount: amountOf(messages), operations, streams, postgres }),
    )
  const slower = await slownessNow()
  const less = await run(count / SMALLER_BY, READS, 0)
  const full = await run(count, ALL, Number(values.streams))
  sections.push(toSection({ title, isPostgres: postgres !== undefined, ...amountOf(count), full, less, slower }))
  console.log(`${sections.at(-1)}\n`)
}
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'messaging', `\n${sections.join('\n\n')}\n`)
process.exitCode = missed ? 1 : 0
