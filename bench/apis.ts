import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { addProvider, prepareApplication, publishPolicy } from './support/admin.ts'
import { chatBodies, LONG_MODEL, MODEL } from './support/chat-bodies.ts'
import type { Gatehouse } from './support/gatehouse.ts'
import { startHelper } from './support/helper-process.ts'
import { compare, interleave, measureCalls, type Round, type Size, type Target } from './support/measure.ts'
import { exitOnSignals } from './support/own-process.ts'
import { FORTY_RULES } from './support/policy.ts'
import { startGateway, startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import { spread } from './support/statistics.ts'
import { passes, type Row, toMarkdown, writeBetweenMarks } from './support/table.ts'

/**
 * Compares the pairs of client and provider APIs, and streams of providers with their JSON responses; with `--before`, also this commit
 * with another one: `scripts/run node bench/apis.ts [--before FOLDER] [--quick] [--write]`, see README.md. Exits with 1 when a bar is missed.
 */
const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const ROUNDS = values.quick ? 9 : 15
const WARM: Size = values.quick ? { requests: 3_000, seconds: 10 } : { requests: 10_000, seconds: 40 }
const ROUND: Size = values.quick ? { requests: 500, seconds: 3 } : { requests: 1_500, seconds: 6 }
const CONNECTIONS = 8

interface Message {
  readonly role: string
  readonly content: string
}
interface ChatBody {
  readonly messages: readonly Message[]
  readonly governance: object
}
/** The same chats in each client API. */
const CLIENTS = {
  chat: { path: '/v1/chat/completions', headers: {}, toBody: (body: ChatBody) => body },
  responses: {
    path: '/v1/responses',
    headers: {},
    toBody: ({ messages: [system, ...input], governance }: ChatBody) => ({
      instructions: system?.content,
      input,
      store: false,
      governance,
    }),
  },
  messages: {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    toBody: ({ messages: [system, ...messages], governance }: ChatBody) => ({
      max_tokens: 500,
      system: system?.content,
      messages,
      governance,
    }),
  },
} as const
type Client = keyof typeof CLIENTS
const PROVIDERS = { chat: MODEL, responses: 'mock-responses', messages: 'mock-messages' } as const

const CHATS = chatBodies(300).map((body) => JSON.parse(body) as ChatBody)
const callsOf = (client: Client, target: Target, fields: object) => {
  const { path, headers, toBody } = CLIENTS[client]
  return CHATS.map((chat) => ({
    method: 'POST' as const,
    path,
    headers: { ...target.headers, ...headers },
    body: JSON.stringify({ ...toBody(chat), ...fields }),
  }))
}

type Run = (client: Client, fields: object, on?: Target, size?: Size) => Promise<Round>
type Rig = Parameters<typeof startGateway>[1]

async function figures(stack: AsyncDisposableStack): Promise<Row[]> {
  const { load, folder } = await startRig(stack)
  const provider = stack.use(await startHelper(new URL('./support/api-provider.ts', import.meta.url)))
  const rig = { folder, provider }
  const { gatehouse, target } = await startGateway(stack, rig, 'apis')
  await publishPolicy(gatehouse, FORTY_RULES)
  await prepareApplication(gatehouse)
  await addProviders(gatehouse, `http://127.0.0.1:${provider.port}`)
  const run: Run = (client, fields, on = target, size = ROUND) =>
    measureCalls(load, on, { calls: callsOf(client, on, fields), status: 200, connections: CONNECTIONS, ...size })
  await run('chat', { model: MODEL }, target, WARM)
  const before = values.before === undefined ? [] : await beforeRows(stack, rig, resolve(values.before), run)
  return [...before, ...(await pairRows(run)), ...(await streamRows(run))]
}

async function addProviders(gatehouse: Gatehouse, url: string): Promise<void> {
  const more = { api_key: 'mock', timeout_ms: 30_000 }
  const openai = { kind: 'openai', base_url: `${url}/v1`, ...more }
  await addProvider(gatehouse, { id: 'messages', kind: 'anthropic', base_url: url, ...more }, { 'mock-messages': {} })
  await addProvider(gatehouse, { id: 'responses', ...openai }, { 'mock-responses': { api: 'responses' } })
  const models = { 'mock-json': { upstream_name: MODEL }, 'mock-long-json': { upstream_name: LONG_MODEL } }
  await addProvider(gatehouse, { id: 'json', ...openai, stream: false }, models)
}

const ratio = (a: readonly Round[] = [], b: readonly Round[] = []) => spread(compare(a, b, (x, y) => x.cpu / y.cpu))

async function pairRows(run: Run): Promise<Row[]> {
  const pairs = Object.keys(CLIENTS).flatMap((client) =>
    Object.keys(PROVIDERS).map((api) => ({
      name: `${client} → ${api}`,
      client: client as Client,
      model: PROVIDERS[api as keyof typeof PROVIDERS],
    })),
  )
  for (const { client, model } of pairs) await run(client, { model }, undefined, { ...WARM, requests: WARM.requests / 3 })
  const runs = pairs.map(({ name, client, model }) => [name, () => run(client, { model })] as const)
  const { 'chat → chat': base = [], ...others } = await interleave(ROUNDS, Object.fromEntries(runs))
  return [
    { what: 'CPU per chat → chat', unit: ' ms', measured: spread(base.map(({ cpu }) => cpu)), digits: 3 },
    ...Object.entries(others).map(([name, rounds]) => ({
      what: `${name} ÷ chat → chat`,
      unit: '×',
      measured: ratio(rounds, base),
      digits: 2,
    })),
  ]
}

async function streamRows(run: Run): Promise<Row[]> {
  const { json, stream, longJson, longStream, longBoth } = await interleave(ROUNDS, {
    json: () => run('chat', { model: 'mock-json' }),
    stream: () => run('chat', { model: MODEL }),
    longJson: () => run('chat', { model: 'mock-long-json' }),
    longStream: () => run('chat', { model: LONG_MODEL }),
    longBoth: () => run('chat', { model: LONG_MODEL, stream: true }),
  })
  const row = (what: string, measured: Row['measured']): Row => ({ what, unit: '×', bar: 1.3, measured, digits: 2 })
  return [
    row('provider streams 20 chunks ÷ JSON', ratio(stream, json)),
    row('provider streams 100 chunks ÷ JSON', ratio(longStream, longJson)),
    row('provider and gateway stream 100 chunks ÷ JSON', ratio(longBoth, longJson)),
  ]
}

/** The same chats through the server of another checkout. Its provider responds with JSON, as that of this server does for `mock-json`. */
async function beforeRows(stack: AsyncDisposableStack, rig: Rig, folder: string, run: Run): Promise<Row[]> {
  const program = { script: pathToFileURL(join(folder, 'server/src/main.ts')), args: ['serve'] }
  const other = await startGateway(stack, rig, 'before', { program })
  await publishPolicy(other.gatehouse, FORTY_RULES)
  await prepareApplication(other.gatehouse)
  await run('chat', { model: MODEL }, other.target, WARM)
  await run('chat', { model: 'mock-json' }, undefined, WARM)
  const { now, streamed, earlier } = await interleave(ROUNDS * 2, {
    now: () => run('chat', { model: 'mock-json' }),
    earlier: () => run('chat', { model: MODEL }, other.target),
    streamed: () => run('chat', { model: MODEL }),
  })
  await other.gatehouse.stop()
  return [
    { what: 'chat → chat ÷ before, provider sends JSON', unit: '×', bar: 1.05, measured: ratio(now, earlier), digits: 2 },
    { what: 'chat → chat ÷ before, provider now streams', unit: '×', measured: ratio(streamed, earlier), digits: 2 },
  ]
}

exitOnSignals()
const rows = await scoped(figures)
console.log(toMarkdown(rows))
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'apis', `\n${toMarkdown(rows)}\n`)
process.exitCode = rows.every(passes) ? 0 : 1
