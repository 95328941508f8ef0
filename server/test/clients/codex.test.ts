import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { MODELS, startThreeUpstreams, type UpstreamModel } from '../support/three-upstreams.ts'
import {
  type AgentCall,
  agentsApplication,
  expectCancellation,
  LARGE,
  SIGNATURE,
  scriptAgent,
} from './sessions/agent-provider.ts'
import { CODEX_HEADERS, CODEX_PATH, resultsOf, turn, turnOfListedModel, turnOfOlderModel, userItem } from './sessions/codex.ts'
import { readCodexStream } from './sessions/codex-reader.ts'

// Sessions of Codex with a provider of each API, in an Application with the settings of the dashboard and of the CLI.

type Fields = Readonly<Record<string, unknown>>

const upstreams = await closeAfterAll(startThreeUpstreams())
let application = await agentsApplication(upstreams)

const send = (json: object, signal?: AbortSignal) =>
  upstreams.governed.api('POST', CODEX_PATH, {
    ...{ token: application.token, json, headers: CODEX_HEADERS },
    ...(signal && { signal }),
  })

async function read(json: object) {
  const response = await send(json)
  expect(response.status, response.text.slice(0, 500)).toBe(200)
  return readCodexStream(response.text)
}

const SHELL: AgentCall = { id: 'call_shell', name: 'exec_command', input: { cmd: 'ls -la /work', workdir: '/work' } }
const LOOK_UP: AgentCall = { id: 'call_mcp', namespace: 'mcp__lab', name: 'look_up', input: { word: 'marmot' } }
const PATCH: AgentCall = {
  id: 'call_patch',
  name: 'apply_patch',
  input: '*** Begin Patch\n*** Delete File: a.ts\n*** End Patch\n',
}
const FIND: AgentCall = { id: 'call_find', name: 'tool_search', input: { query: 'look up a word' } }
const EXEC: AgentCall = { ...PATCH, namespace: 'functions', name: 'exec' }
const AGENTS: AgentCall = { id: 'call_agents', namespace: 'collaboration', name: 'list_agents', input: {} }

type Session = [kind: string, model: UpstreamModel, turnOf: typeof turn, calls: readonly AgentCall[]]
const SESSIONS: Session[] = [
  ...MODELS.map((model): Session => ['a model that Codex does not know', model, turn, [SHELL, LOOK_UP]]),
  ...(['scripted', 'gpt'] as const).flatMap((model): Session[] => [
    ['a model of its list', model, turnOfListedModel, [EXEC, AGENTS]],
    ['an older model of its list', model, turnOfOlderModel, [SHELL, PATCH, FIND]],
  ]),
]

/** The call as Codex runs it. */
const runOf = ({ id: call_id, input, ...named }: AgentCall) => {
  if (named.name === 'tool_search') return { type: 'tool_search_call', call_id, execution: 'client', arguments: input }
  return typeof input === 'string'
    ? { type: 'custom_tool_call', call_id, ...named, input }
    : { type: 'function_call', call_id, ...named, arguments: JSON.stringify(input) }
}

describe.each(SESSIONS)('Codex: %s, with %s [GW-RESP-23, GW-RESP-24]', (_kind, model, turnOf, calls) => {
  test('session: calls, results of 200 kB and a further question pass, and nothing is lost on the way to the provider', async () => {
    const key = word()
    scriptAgent(upstreams, model, key, calls)
    const question = userItem(`List the files. ${key}`)

    const first = await read(turnOf(model, [question]))
    expect(first.text).toBe('I look at the files.')
    const runs = first.items.filter(({ type }) => type !== 'message' && type !== 'reasoning')
    expect(runs).toEqual(calls.map((call) => expect.objectContaining(runOf(call))))

    const history = [question, ...first.items, ...resultsOf(first.items, LARGE)]
    const second = await read(turnOf(model, history))
    expect(second.text).toBe('Both are there.')
    const further = turnOf(model, [...history, ...second.items, userItem('Thank you.')])
    expect((await read(further)).text).toBe('Both are there.')

    expectUpstream(model, upstreams.callsWith(model, key).at(-1)?.body ?? {}, further, calls)
  })
})

/** An item as it goes to the provider: without its state, and without log probabilities. */
function sentItem({ id: _, status: _status, ...item }: Fields): Fields {
  const { content } = item
  return Array.isArray(content) ? { ...item, content: content.map(({ logprobs: _logprobs, ...part }) => part) } : item
}

/** The provider has got everything that Codex sent. */
function expectUpstream(model: UpstreamModel, body: Fields, sent: Fields, calls: readonly AgentCall[]): void {
  const names = calls.map(({ namespace, name }) => (namespace === undefined ? name : `${namespace}__${name}`))
  const text = JSON.stringify(body)
  if (model === 'gpt') {
    const { client_metadata: _, ...kept } = sent
    const input = (sent.input as Fields[]).map((item) => (item.type === 'reasoning' ? item : sentItem(item)))
    expect(body).toEqual({ ...kept, input })
    expect(text).toContain(SIGNATURE)
  } else if (model === 'claude') {
    const messages = body.messages as { content: Fields[] }[]
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    expect(blocks).toContainEqual({ type: 'thinking', thinking: 'The files first.', signature: SIGNATURE })
    for (const [index, { id, input }] of calls.entries()) {
      expect(blocks).toContainEqual(expect.objectContaining({ type: 'tool_use', id, name: names[index], input }))
      expect(blocks).toContainEqual(expect.objectContaining({ type: 'tool_result', tool_use_id: id }))
    }
  } else {
    expect((body.messages as Fields[]).map(({ role }) => role).slice(-calls.length - 4)).toEqual([
      ...['user', 'assistant', ...calls.map(() => 'tool'), 'assistant', 'user'],
    ])
    expect(text).toContain(JSON.stringify(LARGE).slice(1, -1))
  }
  for (const name of names) expect(text).toContain(model === 'gpt' ? name.split('__').at(-1) : name)
}

test.each(MODELS)(
  'cancellation: the request to %s ends, the record says it, and the session goes on [GW-PROV-11]',
  async (model) => {
    application = await agentsApplication(upstreams)
    await expectCancellation(upstreams, { model, application: application.id }, (key, signal) =>
      send(turn(model, [userItem(`List the files. ${key}`)]), signal),
    )
    const other = word()
    scriptAgent(upstreams, model, other, [SHELL])
    const interrupted = '<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>'
    const resumed = await read(turn(model, [userItem('List the files.'), userItem(interrupted), userItem(`Go on. ${other}`)]))
    expect(resumed.items.at(-1)).toMatchObject(runOf(SHELL))
  },
)

describe('Codex: refusals', () => {
  test('web search: the error says how to switch it off [GW-RESP-9]', async () => {
    const body = turn('scripted', [userItem('List the files.')]) as unknown as { tools: object[] }
    const response = await send({ ...body, tools: [...body.tools, { type: 'web_search', external_web_access: true }] })
    const { message, param } = expectError(response, 'VALIDATION_ERROR')
    expect(param).toBe('tools[6].type')
    expect(message).toContain('put the line web_search = "disabled" at the top of ~/.codex/config.toml')
  })

  test('custom tools: a provider without them is not asked [GW-PROV-8]', async () => {
    const response = await send(turnOfOlderModel('claude', [userItem('List the files.')]))
    expect(response.status, response.text.slice(0, 500)).toBe(400)
    expect(response.text).toContain('tools[2].type')
  })
})
