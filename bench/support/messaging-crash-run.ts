import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishPolicy } from './admin.ts'
import { type Gatehouse, type GatehouseOptions, startGatehouse } from './gatehouse.ts'
import { Listener, MessagingLedger, Writer } from './messaging-crash-actors.ts'
import { MessagingCrashClient } from './messaging-crash-client.ts'
import { between, type Random, seeded } from './random.ts'
import { scoped } from './scoped.ts'
import { createScratchDatabase } from './scratch-database.ts'

export interface MessagingCrashOptions {
  /** Number of times that the server is killed while the writers send messages. */
  readonly times: number
  /** Seed of the times of the kills. */
  readonly seed: number
  /** URL of a PostgreSQL, which is not killed. Absent: the embedded database, which is killed with the server. */
  readonly postgres?: string | undefined
  /** Data folder that is copied at the start, to save the time of a first start. */
  readonly template?: string
  readonly say?: (line: string) => void
}

export interface MessagingCrashReport {
  readonly kills: number
  readonly acknowledged: number
  readonly retried: number
  /** Number of message events that each listener received. */
  readonly received: readonly number[]
  /** Broken guarantees; empty if all hold. */
  readonly violations: readonly string[]
}

const WRITERS = 8
const LISTENERS = 2
/** Time of a kill: after at most so many responses, and then at most so many milliseconds. */
const KILL_AFTER = { answers: 60, ms: 40, atMostMs: 6_000 }
const DELIVERY_TIMEOUT_MS = 30_000
/** Port without a provider, because no model is called. */
const UNUSED_PROVIDER_PORT = 9
/** A policy for messages, so that every message gets a decision and an audit record in its transaction. */
const RULES = JSON.stringify({
  name: 'demo',
  rules: [{ id: 'no-match', at: ['message'], when: 'content.text.contains("phrase of no message")', verdict: 'deny' }],
})

/** Kills the server repeatedly while messages are sent, on the same data, and checks its guarantees. */
export const runMessagingCrash = (options: MessagingCrashOptions): Promise<MessagingCrashReport> =>
  scoped((stack) => run(stack, options))

interface Participants {
  readonly conversation: string
  readonly writers: readonly Writer[]
  readonly listeners: readonly Listener[]
  readonly ledger: MessagingLedger
}

async function run(
  stack: AsyncDisposableStack,
  { times, seed, postgres, template, say = () => {} }: MessagingCrashOptions,
): Promise<MessagingCrashReport> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-messaging-crash-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const database = postgres ? stack.use(await createScratchDatabase(postgres)) : undefined
  const options: GatehouseOptions = {
    dataDir: join(folder, 'data'),
    providerPort: UNUSED_PROVIDER_PORT,
    databaseUrl: database?.url,
    logLevel: 'warn',
  }
  if (template !== undefined) await cp(template, options.dataDir, { recursive: true })

  let server = await startGatehouse(options)
  stack.defer(() => server.stop())
  const participants = await prepare(server)
  stack.defer(() => {
    for (const listener of participants.listeners) listener.close()
  })
  const random = seeded(seed)
  let kills = 0
  while (kills < times && participants.ledger.violations.length === 0) {
    const known = participants.ledger.acknowledged.length
    // Before the first kill the listeners are already connected.
    if (kills > 0) for (const listener of participants.listeners) listener.resume(`http://127.0.0.1:${server.port}`)
    await killWhileWriting(server, random, participants)
    kills++
    server = await startGatehouse(options)
    say(`${kills}/${times}: killed after ${participants.ledger.acknowledged.length - known} messages`)
  }
  await finish(server, participants)
  const { acknowledged, retried, violations } = participants.ledger
  const received = participants.listeners.map((listener) => listener.events.filter(isMessage).length)
  return { kills, acknowledged: acknowledged.length, retried, received, violations }
}

async function prepare(server: Gatehouse): Promise<Participants> {
  await publishPolicy(server, RULES)
  const client = new MessagingCrashClient(server)
  const users = []
  for (let index = 0; index < WRITERS + LISTENERS; index++) users.push(await client.createUser(`crash-${index}`))
  const [owner] = users
  const contacts = users.map(({ id }) => id)
  const group = await client.callOk<{ id: string }>('POST', '/v1/groups', owner?.token, { name: 'Crash', contacts })
  const { id } = await client.callOk<{ id: string }>('POST', '/v1/conversations', owner?.token, { group_id: group.id })
  const listeners = users.slice(WRITERS).map((user) => new Listener(user))
  for (const listener of listeners) await listener.begin(client.base)
  await client.close()
  const writers = users.slice(0, WRITERS).map((user) => new Writer(user))
  return { conversation: id, writers, listeners, ledger: new MessagingLedger() }
}

async function killWhileWriting(
  server: Gatehouse,
  random: Random,
  { conversation, writers, ledger }: Participants,
): Promise<void> {
  const client = new MessagingCrashClient(server)
  const writing = writers.map((writer) => writer.write(client, conversation, ledger))
  const enough = ledger.acknowledged.length + between(random, 1, KILL_AFTER.answers)
  const deadline = performance.now() + KILL_AFTER.atMostMs
  while (ledger.acknowledged.length < enough && performance.now() < deadline) await sleep(1)
  await sleep(between(random, 0, KILL_AFTER.ms))
  if (server.hasEnded()) ledger.violated('the server ended by itself')
  await server.kill()
  await Promise.all(writing)
  await client.close()
}

/** Sends the pending messages and compares the stored messages with responses and events. */
async function finish(server: Gatehouse, participants: Participants): Promise<void> {
  const { conversation, writers, listeners, ledger } = participants
  const client = new MessagingCrashClient(server)
  for (const listener of listeners) listener.resume(client.base)
  for (const writer of writers) await writer.write(client, conversation, ledger, true)
  const stored = await readAll(client, conversation, writers[0]?.user.token ?? '')
  const deadline = performance.now() + DELIVERY_TIMEOUT_MS
  const missing = () => listeners.some(({ events }) => events.filter(isMessage).length < stored.length)
  while (missing() && performance.now() < deadline) await sleep(20)
  checkStored(stored, participants)
  for (const listener of listeners) checkReceived(stored, listener, ledger)
  await checkReplays(client, participants)
  await client.close()
}

interface Stored {
  readonly id: string
  readonly message: string
}

/** Oldest first. */
async function readAll(client: MessagingCrashClient, conversation: string, token: string): Promise<Stored[]> {
  const found: Stored[] = []
  for (let more = true; more; ) {
    const after = found.length > 0 ? `&starting_after=${found.at(-1)?.id}` : ''
    const page = await client.callOk<{ data: Stored[]; has_more: boolean }>(
      'GET',
      `/v1/messages?conversation_id=${conversation}&limit=100${after}`,
      token,
    )
    found.push(...page.data)
    more = page.has_more
  }
  return found.reverse()
}

function checkStored(stored: readonly Stored[], { writers, ledger }: Participants): void {
  const byText = Map.groupBy(stored, ({ message }) => message)
  for (const [text, copies] of byText) if (copies.length > 1) ledger.violated(`stored ${copies.length} times: ${text}`)
  for (const { text, id } of ledger.acknowledged) {
    if (byText.get(text)?.[0]?.id !== id) ledger.violated(`acknowledged and not stored: ${text} (${id})`)
  }
  for (const { user } of writers) {
    const own = stored.filter(({ message }) => message.startsWith(`${user.id} `)).map(({ message }) => message)
    // A writer waits for each response, so its messages have no gap and keep their order.
    const expected = own.map((_, index) => `${user.id} ${index}`)
    if (own.join() !== expected.join()) ledger.violated(`not in the order in which they were sent: ${own.join()}`)
  }
  if (stored.length !== ledger.acknowledged.length) {
    ledger.violated(`${stored.length} messages are stored, ${ledger.acknowledged.length} were acknowledged in the end`)
  }
}

const isMessage = ({ type }: { readonly type: string }): boolean => type === 'message.created'

function checkReceived(stored: readonly Stored[], { user, events }: Listener, ledger: MessagingLedger): void {
  const received = events.filter(isMessage).map(({ data }) => JSON.parse(data).id as string)
  const storedIds = stored.map(({ id }) => id)
  if (received.join() !== storedIds.join()) {
    const missing = storedIds.filter((id) => !received.includes(id))
    const twice = received.filter((id, index) => received.indexOf(id) !== index)
    const unknown = received.filter((id) => !storedIds.includes(id))
    const counts = `${missing.length} missing, ${twice.length} twice, ${unknown.length} of unknown messages`
    ledger.violated(
      `${user.id} received events of ${received.length} of ${storedIds.length} messages: ${counts}, or in another order`,
    )
  }
  const ids = events.map(({ id }) => id)
  if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? 0))) ledger.violated(`${user.id}: ids of events do not rise`)
  const resets = events.filter(({ type }) => type === 'reset').length
  if (resets > 0) ledger.violated(`${user.id} received ${resets} reset events`)
}

/** Checks that a message gets the same response when it is sent again with its key. */
async function checkReplays(client: MessagingCrashClient, { conversation, ledger }: Participants): Promise<void> {
  for (const { writer, text, answer } of ledger.acknowledged.slice(-WRITERS * 2)) {
    const again = await writer.send(client, conversation, text)
    if (again?.text !== answer) ledger.violated(`another answer to the same key: ${answer} then ${again?.status} ${again?.text}`)
  }
}
