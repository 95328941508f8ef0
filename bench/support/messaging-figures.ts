import { publishPolicy } from './admin.ts'
import { prose } from './chat-bodies.ts'
import { type Amount, fillMessages, type Population, type Sample } from './fill-messages.ts'
import { startGatehouse } from './gatehouse.ts'
import { startHelper } from './helper-process.ts'
import type { LoadCall } from './load-run.ts'
import { cpuNow, measureCalls, type Round, type Size, type Target } from './measure.ts'
import { MESSAGE_RULES } from './policy.ts'
import { seeded } from './random.ts'
import { type Rig, startGateway } from './rig.ts'
import type { Delivered, DeliverSpec, OpenSpec } from './stream-readers.ts'

/** Measured operations in their order. Reads come first, while the data are unchanged. */
export const OPERATIONS = {
  list: 'list of conversations',
  newest: 'page of messages, the newest',
  further: 'page of messages, half-way back',
  all: 'page of the messages of all conversations',
  rare: 'search, a rare word',
  common: 'search, two common words',
  send: 'send, no policies at `message`',
  governed: 'send, 32 policies',
} as const
export type Operation = keyof typeof OPERATIONS

export interface Plan {
  readonly amount: Amount
  readonly operations: readonly Operation[]
  /** Number of open event streams. 0: delivery is not measured. */
  readonly streams: number
  /** URL of a PostgreSQL. Absent: the embedded database. */
  readonly postgres: string | undefined
}

export interface Delivery extends Delivered {
  readonly streams: number
  readonly messages: number
  /** CPU time for each event on each stream in milliseconds. */
  readonly cpu: number
}

export interface MessagingFigures {
  readonly rounds: Readonly<Partial<Record<Operation, Round>>>
  readonly delivery: Delivery | undefined
  readonly population: Population
}

const WITHOUT_RATE_LIMIT = { script: new URL('./without-rate-limit.ts', import.meta.url), args: [] }
const NO_RULES = 'name: none\nrules: []\n'
const READS: Size = { requests: 2_000, seconds: 6 }
const SENDS: Size = { requests: 10_000, seconds: 8 }
const WARM: Size = { requests: 300, seconds: 3 }
const SENDERS = 8
const DELIVERED = 60
const PAUSE_MS = 100

/** Measures all operations with one amount of messages on one kind of database. */
export async function messagingFigures(stack: AsyncDisposableStack, rig: Rig, plan: Plan): Promise<MessagingFigures> {
  const name = `${plan.postgres ? 'postgresql' : 'embedded'}-${plan.amount.messages}`
  const { gatehouse: first, options, target: before } = await startGateway(stack, rig, name, { postgres: plan.postgres })
  await first.stop()
  const population = await fillMessages(options, plan.amount)
  const gatehouse = stack.use(await startGatehouse({ ...options, program: WITHOUT_RATE_LIMIT }))
  const target = { ...before, pid: gatehouse.pid, port: gatehouse.port }
  await publishPolicy(gatehouse, NO_RULES)
  const rounds: Partial<Record<Operation, Round>> = {}
  for (const operation of plan.operations) {
    if (operation === 'governed') await publishPolicy(gatehouse, MESSAGE_RULES)
    const spec = specOf(operation, population.samples)
    await measureCalls(rig.load, target, { ...spec, ...WARM })
    const round = await measureCalls(rig.load, target, spec)
    console.log(
      `${name}, ${OPERATIONS[operation]}: p50 ${round.p50.toFixed(1)} ms, p95 ${round.p95.toFixed(1)} ms, ${round.rate.toFixed(0)} a second`,
    )
    rounds[operation] = round
  }
  const delivery = plan.streams > 0 ? await deliveryFigures(stack, target, population, plan.streams) : undefined
  await gatehouse.stop()
  return { rounds, delivery, population }
}

/** Reads use one connection, to measure the latency alone. Sends use eight. */
function specOf(operation: Operation, samples: readonly Sample[]) {
  if (operation === 'send' || operation === 'governed')
    return { calls: sends(samples), status: 201, connections: SENDERS, ...SENDS }
  const calls = samples.map((sample) => ({ method: 'GET', path: PATHS[operation](sample), headers: bearer(sample) }) as const)
  return { calls, status: 200, connections: 1, ...READS }
}

const PATHS: Readonly<Record<Exclude<Operation, 'send' | 'governed'>, (sample: Sample) => string>> = {
  list: () => '/v1/conversations',
  newest: ({ conversationId }) => `/v1/messages?conversation_id=${conversationId}`,
  further: ({ conversationId, messageId }) => `/v1/messages?conversation_id=${conversationId}&starting_after=${messageId}`,
  all: () => '/v1/messages',
  rare: ({ text }) => `/v1/messages/search?q=${/\d+(?=\.$)/.exec(text)}`,
  common: ({ text }) => `/v1/messages/search?q=${[...text.matchAll(/\b[a-z]{6,}\b/g)].slice(0, 2).join('+')}`,
}

const bearer = ({ token }: Sample) => ({ authorization: `Bearer ${token}` })

function sends(samples: readonly Sample[]): LoadCall[] {
  const random = seeded(11)
  return samples.map((sample, index) => {
    const contact = index % 10 === 0 ? ' Write to office@example.org about it.' : ''
    const body = JSON.stringify({ conversation_id: sample.conversationId, message: prose(random, 150) + contact })
    return { method: 'POST', path: '/v1/messages', headers: bearer(sample), body }
  })
}

/** Sends a message to all users every 100 ms, while each user has several open streams. */
async function deliveryFigures(
  stack: AsyncDisposableStack,
  target: Target,
  { tokens, allUsersConversationId: conversationId }: Population,
  streams: number,
): Promise<Delivery> {
  const readers = stack.use(await startHelper(new URL('./stream-readers.ts', import.meta.url)))
  const { port } = target
  await readers.ask({ open: { port, streams, tokens } } satisfies OpenSpec)
  const send = (messages: number) =>
    readers.ask<Delivered>({
      deliver: { port, token: tokens[0] ?? '', conversationId, messages, pauseMs: PAUSE_MS },
    } satisfies DeliverSpec)
  await send(5)
  const before = await cpuNow(target)
  const delivered = await send(DELIVERED)
  const { total } = await before.since()
  await readers.stop()
  return { ...delivered, streams, messages: DELIVERED, cpu: total / DELIVERED / streams }
}
