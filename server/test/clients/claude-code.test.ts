import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
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
import { afterCalls, CLAUDE_CODE_BETAS, CLAUDE_CODE_HEADERS, count, opening, quota, title, turn } from './sessions/claude-code.ts'

// Sessions of Claude Code with a provider of each API, in an Application with the settings of the dashboard and of the CLI. Its requests
// are sent and its responses read by the SDK that it uses.

type Fields = Readonly<Record<string, unknown>>
type Body = Parameters<Anthropic['beta']['messages']['stream']>[0]

const upstreams = await closeAfterAll(startThreeUpstreams())
let application = await agentsApplication(upstreams)

const client = (authToken = application.token) =>
  new Anthropic({
    ...{ baseURL: upstreams.governed.base, authToken, apiKey: null, maxRetries: 0 },
    defaultHeaders: CLAUDE_CODE_HEADERS,
  })
const stream = (body: object, signal?: AbortSignal) =>
  client().beta.messages.stream({ ...body, betas: CLAUDE_CODE_BETAS } as unknown as Body, signal ? { signal } : {})
const contentOf = async (body: object): Promise<readonly Fields[]> =>
  (await stream(body).finalMessage()).content as unknown as readonly Fields[]

const CALLS: readonly AgentCall[] = [
  { id: 'toolu_01', name: 'Bash', input: { command: 'ls -la /work', timeout: 1.5 } },
  { id: 'toolu_02', name: 'Read', input: { file_path: '/work/a.ts' } },
]
const SAID = (text: string) => expect.objectContaining({ type: 'text', text })

describe.each(MODELS)('Claude Code with the model %s [GW-ANT-3, GW-ANT-11]', (model) => {
  test('session: calls, results of 200 kB and a further question pass, and nothing is lost on the way to the provider', async () => {
    const key = word()
    scriptAgent(upstreams, model, key, CALLS)
    const first = opening(`List the files. ${key}`)
    const called = await contentOf(turn(model, first))
    expect(called).toContainEqual(SAID('I look at the files.'))
    expect(called.filter(({ type }) => type === 'tool_use')).toEqual(
      CALLS.map(({ id, name, input }) => expect.objectContaining({ id, name, input })),
    )
    const history = [...first, ...afterCalls(called, LARGE)]
    const answered = await contentOf(turn(model, history))
    expect(answered).toContainEqual(SAID('Both are there.'))
    const further = turn(model, [...history, { role: 'assistant', content: answered }, { role: 'user', content: 'Thank you.' }])
    expect(await contentOf(further)).toContainEqual(SAID('Both are there.'))
    expectUpstream(model, key, further)
  })

  test.each([
    ['a request of one token', quota],
    ['a request for a title', (name: string) => title(name, 'List the files.')],
  ])('session: passes with %s', async (_name, bodyOf) => {
    expect((await contentOf(bodyOf(model))).length).toBeGreaterThan(0)
  })

  test('count_tokens: counts a turn of 200 kB without a provider [GW-ANT-7]', async () => {
    const key = word()
    const body = count(model, [
      ...opening(key),
      ...afterCalls([{ type: 'tool_use', id: 'toolu_01', name: 'Read', input: {} }], LARGE),
    ])
    const { input_tokens } = await client().beta.messages.countTokens({ ...body, betas: CLAUDE_CODE_BETAS } as never)
    expect(input_tokens).toBeGreaterThan(30_000)
    expect(upstreams.callsWith(model, key)).toEqual([])
  })

  test('cancellation: the request to the provider ends, the record says it, and the session goes on [GW-PROV-11]', async () => {
    application = await agentsApplication(upstreams)
    const cancelled = { model, application: application.id, error: Anthropic.APIUserAbortError }
    await expectCancellation(upstreams, cancelled, (key, signal) => stream(turn(model, opening(key)), signal).finalMessage())
    const other = word()
    scriptAgent(upstreams, model, other, CALLS)
    const interrupted = { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] }
    const resumed = await contentOf(turn(model, [...opening('List the files.'), interrupted, { role: 'user', content: other }]))
    expect(resumed).toContainEqual(expect.objectContaining({ type: 'tool_use', id: 'toolu_02' }))
  })
})

/** The provider has got everything that Claude Code sent. */
function expectUpstream(model: UpstreamModel, key: string, sent: object): void {
  const { body, headers } = upstreams.callsWith(model, key).at(-1) ?? { body: {}, headers: {} }
  const text = JSON.stringify(body)
  if (model === 'claude') {
    expect(body).toEqual({ ...sent, stream: true })
    expect(text).toContain(SIGNATURE)
    expect(headers).toMatchObject({ 'anthropic-beta': CLAUDE_CODE_BETAS.join(','), 'anthropic-version': '2023-06-01' })
    return
  }
  const texts = [LARGE, 'You help with tasks', 'The agents that the tool Agent can start', 'The file is not empty.', 'Thank you.']
  for (const part of [...texts, ...CALLS.map(({ id }) => id)]) expect(text).toContain(JSON.stringify(part).slice(1, -1))
  for (const { name, input } of CALLS) {
    expect(text).toContain(`"name":"${name}"`)
    expect(text).toContain(JSON.stringify(JSON.stringify(input)))
  }
}

describe('Claude Code: start of a session', () => {
  test('HEAD of the base URL: is no error of the server, because it tests the connection with it', async () => {
    const { status } = await fetch(upstreams.governed.base, { method: 'HEAD', redirect: 'manual' })
    expect(status).toBeLessThan(500)
  })

  test('models: has the fields of model discovery, without a redirect [GW-ANT-8]', async () => {
    const headers = { ...CLAUDE_CODE_HEADERS, 'anthropic-version': '2023-06-01' }
    const { data } = expectSuccess(
      await upstreams.governed.api('GET', '/v1/models?limit=1000', { token: application.token, headers }),
    )
    expect(data).toContainEqual(expect.objectContaining({ id: 'claude', display_name: expect.any(String) }))
  })
})
