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
  /** How often the server is killed while the writers write. */
  readonly times: number
  /** Chooses the moments. */
  readonly seed: number
  /** A PostgreSQL on which a database may be made; only the server is killed. Absent: embedded, killed with it. */
  readonly postgres?: string | undefined
  /** A data folder to start from; saves the seconds that the first start takes. */
  readonly template?: string
  readonly say?: (line: string) => void
}

export interface MessagingCrashReport {
  readonly kills: number
  readonly acknowledged: number
  readonly retried: number
  /** That each listener has heard of a message. */
  readonly heard: readonly number[]
  /** Empty, or the server has broken a promise. */
  readonly violations: readonly string[]
}

const WRITERS = 8
const LISTENERS = 2
/** The moment of a kill: so many answers after the start, and then so many milliseconds. */
const MOMENT = { answers: 60, ms: 40, atMostMs: 6_000 }
const HEARD_MS = 30_000
/** Nobody calls a model here. */
const NO_PROVIDER = 9
/** Every message is judged and recorded in the transaction that stores it. */
const RULES = JSON.stringify({
  name: 'demo',
  rules: [{ id: 'look', at: ['message'], when: 'content.text.contains("nobody says this")', verdict: 'deny' }],
})

/** Kills the server while messages are sent, again and again on the same data, and compares what it promised with what it kept. */
export const runMessagingCrash = (options: MessagingCrashOptions): Promise<MessagingCrashReport> =>
  scoped((stack) => run(stack, options))

interface Cast {
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
    providerPort: NO_PROVIDER,
    databaseUrl: database?.url,
    logLevel: 'warn',
  }
  if (template !== undefined) await cp(template, options.dataDir, { recursive: true })

  let server = await startGatehouse(options)
  stack.defer(() => server.stop())
  const cast = await prepare(server)
  stack.defer(() => {
    for (const listener of cast.listeners) listener.close()
  })
  const random = seeded(seed)
  let kills = 0
  while (kills < times && cast.ledger.violations.length === 0) {
    const known = cast.ledger.acknowledged.length
    // In the first life they listen already.
    if (kills > 0) for (const listener of cast.listeners) listener.resume(`http://127.0.0.1:${server.port}`)
    await killWhileWriting(server, random, cast)
    kills++
    server = await startGatehouse(options)
    say(`${kills}/${times}: killed after ${cast.ledger.acknowledged.length - known} messages`)
  }
  await finish(server, cast)
  const { acknowledged, retried, violations } = cast.ledger
  const heard = cast.listeners.map((listener) => listener.events.filter(isMessage).length)
  return { kills, acknowledged: acknowledged.length, retried, heard, violations }
}

async function prepare(server: Gatehouse): Promise<Cast> {
  await publishPolicy(server, RULES)
  const client = new MessagingCrashClient(server)
  const people = []
  for (let index = 0; index < WRITERS + LISTENERS; index++) people.push(await client.person(`crash-${index}`))
  const [owner] = people
  const contacts = people.map(({ id }) => id)
  const group = await client.must<{ id: string }>('POST', '/v1/groups', owner?.token, { name: 'Crash', contacts })
  const { id } = await client.must<{ id: string }>('POST', '/v1/conversations', owner?.token, { group_id: group.id })
  const listeners = people.slice(WRITERS).map((person) => new Listener(person))
  for (const listener of listeners) await listener.begin(client.base)
  await client.close()
  const writers = people.slice(0, WRITERS).map((person) => new Writer(person))
  return { conversation: id, writers, listeners, ledger: new MessagingLedger() }
}

async function killWhileWriting(server: Gatehouse, random: Random, { conversation, writers, ledger }: Cast): Promise<void> {
  const client = new MessagingCrashClient(server)
  const writing = writers.map((writer) => writer.write(client, conversation, ledger))
  const enough = ledger.acknowledged.length + between(random, 1, MOMENT.answers)
  const deadline = performance.now() + MOMENT.atMostMs
  while (ledger.acknowledged.length < enough && performance.now() < deadline) await sleep(1)
  await sleep(between(random, 0, MOMENT.ms))
  if (server.hasEnded()) ledger.violated('the server ended by itself')
  await server.kill()
  await Promise.all(writing)
  await client.close()
}

/** Whatever is pending is sent, and then everything is compared. */
async function finish(server: Gatehouse, cast: Cast): Promise<void> {
  const { conversation, writers, listeners, ledger } = cast
  const client = new MessagingCrashClient(server)
  for (const listener of listeners) listener.resume(client.base)
  for (const writer of writers) await writer.write(client, conversation, ledger, true)
  const stored = await readAll(client, conversation, writers[0]?.person.token ?? '')
  const deadline = performance.now() + HEARD_MS
  const missing = () => listeners.some(({ events }) => events.filter(isMessage).length < stored.length)
  while (missing() && performance.now() < deadline) await sleep(20)
  checkStored(stored, cast)
  for (const listener of listeners) checkHeard(stored, listener, ledger)
  await checkReplays(client, cast)
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
    const page = await client.must<{ data: Stored[]; has_more: boolean }>(
      'GET',
      `/v1/messages?conversation_id=${conversation}&limit=100${after}`,
      token,
    )
    found.push(...page.data)
    more = page.has_more
  }
  return found.reverse()
}

function checkStored(stored: readonly Stored[], { writers, ledger }: Cast): void {
  const byText = Map.groupBy(stored, ({ message }) => message)
  for (const [text, copies] of byText) if (copies.length > 1) ledger.violated(`stored ${copies.length} times: ${text}`)
  for (const { text, id } of ledger.acknowledged) {
    if (byText.get(text)?.[0]?.id !== id) ledger.violated(`acknowledged and not there: ${text} (${id})`)
  }
  for (const { person } of writers) {
    const own = stored.filter(({ message }) => message.startsWith(`${person.id} `)).map(({ message }) => message)
    // A writer sends the next message only once it knows of the one before: no gap, no other order.
    const expected = own.map((_, index) => `${person.id} ${index}`)
    if (own.join() !== expected.join()) ledger.violated(`not in the order in which they were sent: ${own.join()}`)
  }
  if (stored.length !== ledger.acknowledged.length) {
    ledger.violated(`${stored.length} messages are stored, ${ledger.acknowledged.length} were acknowledged in the end`)
  }
}

const isMessage = ({ type }: { readonly type: string }): boolean => type === 'message.created'

function checkHeard(stored: readonly Stored[], { person, events }: Listener, ledger: MessagingLedger): void {
  const heard = events.filter(isMessage).map(({ data }) => JSON.parse(data).id as string)
  const kept = stored.map(({ id }) => id)
  if (heard.join() !== kept.join()) {
    const missing = kept.filter((id) => !heard.includes(id))
    const twice = heard.filter((id, index) => heard.indexOf(id) !== index)
    const strange = heard.filter((id) => !kept.includes(id))
    const sums = `${missing.length} missing, ${twice.length} twice, ${strange.length} of no message`
    ledger.violated(`${person.id} heard of ${heard.length} of ${kept.length} messages: ${sums}, or in another order`)
  }
  const ids = events.map(({ id }) => id)
  if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? 0)))
    ledger.violated(`${person.id}: ids of events do not rise`)
  const resets = events.filter(({ type }) => type === 'reset').length
  if (resets > 0) ledger.violated(`${person.id} was told ${resets} times to read anew`)
}

/** Sent once more under their keys, messages get the answers that they got. */
async function checkReplays(client: MessagingCrashClient, { conversation, ledger }: Cast): Promise<void> {
  for (const { writer, text, answer } of ledger.acknowledged.slice(-WRITERS * 2)) {
    const again = await writer.send(client, conversation, text)
    if (again?.text !== answer) ledger.violated(`another answer to the same key: ${answer} then ${again?.status} ${again?.text}`)
  }
}
