import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess, type GatewayResponse, type Message } from '../support/gateway-client.ts'
import { anthropicError, saysBlocks, saysText } from '../support/scripted-anthropic.ts'
import { json, says, word } from '../support/scripted-provider.ts'
import { startThreeUpstreams } from '../support/three-upstreams.ts'

/** Text in the provider's errors. */
const SECRET = 'upstream-private-diagnostics'
const SIGNATURE = Buffer.from('a signature that only its provider can read, and no other service').toString('base64')

const upstreams = await closeAfterAll(startThreeUpstreams())
const { governed, anthropic } = upstreams
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token
// Used only if no other provider is left.
expectSuccess(await governed.admin('PATCH', '/providers/openai', { json: { weight: 0 } }))

const chat = (prompt: string | readonly Message[], more: object = {}): Promise<GatewayResponse> =>
  governed.chat(prompt, { model: 'claude', ...more }, { token })
const recordOf = async (response: GatewayResponse) =>
  expectSuccess(await governed.api('GET', `/v1/audit/${response.headers.get('x-audit-id')}`, { token }))
const bodyOf = (key: string) => anthropic.callsWith(key).at(-1)?.body ?? {}

describe('chat', () => {
  test('anthropic: client gets a completion of the chat API, and the provider its own API', async () => {
    const key = word()
    anthropic.on(key, saysText('Good morning.'))
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: `Hello ${key}` },
    ]
    const body = expectSuccess(await chat(messages, { max_tokens: 50, temperature: 0.3 }))
    expect(body).toMatchObject({ object: 'chat.completion', model: 'claude', usage: { prompt_tokens: 11, total_tokens: 18 } })
    expect(body.choices).toEqual([{ index: 0, message: { role: 'assistant', content: 'Good morning.' }, finish_reason: 'stop' }])
    const [call] = anthropic.callsWith(key)
    expect(call).toMatchObject({
      method: 'POST',
      path: '/v1/messages',
      headers: { 'x-api-key': 'sk-ant-scripted', 'anthropic-version': '2023-06-01' },
    })
    expect(call?.headers.authorization).toBeUndefined()
    expect(call?.body).toEqual({
      model: 'claude',
      max_tokens: 50,
      temperature: 0.3,
      system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: `Hello ${key}` }] }],
      stream: true,
    })
  })

  test('anthropic: streamed request gets the same content', async () => {
    const key = word()
    anthropic.on(key, saysText('Good morning.'))
    const { text } = await chat(key, { stream: true })
    const chunks = text.split('\n\n').filter((line) => line.startsWith('data: {'))
    const deltas = chunks.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '')
    expect(deltas.join('')).toBe('Good morning.')
  })

  test('anthropic: tools work over two turns, with thinking returned unchanged', async () => {
    const key = word()
    const thinking = { type: 'thinking', thinking: 'They ask for the weather.', signature: SIGNATURE }
    const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }
    anthropic.on(key, saysBlocks([thinking, { type: 'text', text: 'One moment.' }, use], { stop_reason: 'tool_use' }))
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]
    const question = { role: 'user', content: `Weather? ${key}` }
    const first = expectSuccess(await chat([question], { tools })).choices[0]
    expect(first).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] },
    })
    anthropic.on(key, saysText('Rain.'))
    const answer = { role: 'tool', tool_call_id: 'toolu_1', content: 'rain' }
    const second = expectSuccess(await chat([question, first?.message as Message, answer], { tools }))
    expect(second.choices[0]?.message.content).toBe('Rain.')
    expect(bodyOf(key)).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [thinking, { type: 'text', text: 'One moment.' }, use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'rain' }] },
      ],
    })
  })

  test('anthropic: record has tokens and cost', async () => {
    expectSuccess(
      await governed.admin('PUT', '/providers/anthropic/models/claude', { json: { input_price: 3, output_price: 15 } }),
    )
    const { attempts } = await recordOf(await chat(word()))
    expect(attempts).toEqual([
      {
        ...{ provider: 'anthropic', model: 'claude', status: 200, outcome: 'ok', ms: expect.any(Number) },
        ...{ prompt_tokens: 11, completion_tokens: 7, cost: (11 * 3 + 7 * 15) / 1_000_000, price: 'operator' },
      },
    ])
  })
})

describe('governance', () => {
  test.each([
    ['text', [{ type: 'text', text: 'sorrel-deny hidden-word' }], {}],
    [
      'arguments of a call',
      [{ type: 'tool_use', id: 'toolu_1', name: 'x', input: { a: 'sorrel-deny hidden-word' } }],
      { stop_reason: 'tool_use' },
    ],
    [
      'thinking',
      [
        { type: 'thinking', thinking: 'sorrel-deny hidden-word', signature: SIGNATURE },
        { type: 'text', text: 'x' },
      ],
      {},
    ],
  ])('anthropic: denied %s never reaches the client', async (_, content, more) => {
    const key = word()
    anthropic.on(key, saysBlocks(content, more))
    for (const stream of [false, true]) {
      const response = await chat(key, { stream })
      expect(response.text).not.toContain('hidden-word')
      expectError(response, 'POLICY_DENIED')
    }
  })

  test('anthropic: redaction reaches the provider', async () => {
    const key = word()
    const prompt = `${key} juniper-redact write to ann@example.org`
    const call = { id: 'a', type: 'function', function: { name: 'x', arguments: '{"to":"ann@example.org"}' } }
    const history = [
      { role: 'user', content: prompt },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'sent to ann@example.org' },
    ]
    expectSuccess(await chat(history))
    const [sent] = anthropic.callsWith(key)
    expect(sent?.raw).not.toContain('ann@example.org')
    expect(sent?.raw).toContain('tool_result')
  })
})

/** A new provider with the Messages API, and its model, which the provider `openai` offers too. */
async function addProvider(): Promise<{ readonly id: string; readonly model: string }> {
  const id = word()
  const model = `model-${id}`
  const provider = { id, kind: 'anthropic', base_url: anthropic.url, api_key: 'k', timeout_ms: 400, max_retries: 0 }
  expectSuccess(await governed.admin('POST', '/providers', { json: provider }), 201)
  for (const [owner, upstream_name] of [
    [id, 'claude'],
    ['openai', 'scripted'],
  ]) {
    expectSuccess(await governed.admin('PUT', `/providers/${owner}/models/${model}`, { json: { upstream_name } }))
  }
  return { id, model }
}

type Behaviour = (response: ServerResponse) => void

describe('failures', () => {
  const error = (status: number, type: string, headers = {}): Behaviour =>
    anthropicError(status, type, SECRET, headers) as Behaviour

  test.each<[string, Behaviour, number, string]>([
    ['401', error(401, 'authentication_error'), 401, 'key_rejected'],
    ['403', error(403, 'permission_error'), 403, 'key_rejected'],
    ['404', error(404, 'not_found_error'), 404, 'refused'],
    ['429', error(429, 'rate_limit_error', { 'retry-after': '30' }), 429, 'rate_limited'],
    ['529', error(529, 'overloaded_error'), 529, 'status'],
    [
      'no credit',
      anthropicError(400, 'invalid_request_error', 'Your credit balance is too low.') as Behaviour,
      400,
      'quota_exhausted',
    ],
    ['silence', () => {}, 0, 'timeout'],
    ['a block of an unknown type', saysBlocks([{ type: 'hologram' }]) as Behaviour, 200, 'malformed'],
    ['a completion of the chat API', (response) => json(response, 200, { choices: [] }), 200, 'malformed'],
  ])('anthropic: the next provider serves when the provider responds with %s', async (_, behaviour, status, outcome) => {
    const { id, model } = await addProvider()
    const key = word()
    anthropic.on(key, behaviour)
    governed.provider.on(key, says('From the other one.'))
    const response = await chat(key, { model })
    expect(expectSuccess(response).choices[0]?.message.content).toBe('From the other one.')
    expect((await recordOf(response)).attempts).toMatchObject([
      { provider: id, status, outcome },
      { provider: 'openai', status: 200, outcome: 'ok' },
    ])
  })

  test.each([
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context_length_exceeded'],
    [400, 'invalid_request_error', 'tools.0.custom.input_schema: JSON schema is invalid', 'invalid_tool_schema'],
    [400, 'invalid_request_error', '`tool_use` ids were found without `tool_result` blocks', 'invalid_messages'],
    [400, 'invalid_request_error', 'max_tokens: 100000 > 64000', 'invalid_value'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'too_large'],
  ])('anthropic: client gets 400 when the provider responds with %i %s: %s', async (status, type, message, code) => {
    const key = word()
    anthropic.on(key, anthropicError(status, type, `${message} ${SECRET}`))
    const response = await chat(key)
    expect(expectError(response, 'VALIDATION_ERROR').details).toEqual({ reason: 'provider_refused', provider_code: code })
    expect(response.text).not.toContain(SECRET)
  })
})

describe('fields without an equivalent', () => {
  test('anthropic: another provider serves when a field has no equivalent [GW-PROV-8]', async () => {
    const { id, model } = await addProvider()
    const key = word()
    governed.provider.on(key, says('With a seed.'))
    const response = await chat(key, { model, seed: 7 })
    expect(expectSuccess(response).choices[0]?.message.content).toBe('With a seed.')
    expect(anthropic.callsWith(key)).toEqual([])
    expect((await recordOf(response)).attempts).toMatchObject([
      { provider: id, status: 0, outcome: 'unsupported', code: 'unsupported_parameter' },
      { provider: 'openai', outcome: 'ok' },
    ])
  })

  test.each([
    ['seed', { seed: 7 }],
    ['n', { n: 2 }],
    ['temperature', { temperature: 1.5 }],
    ['response_format.type', { response_format: { type: 'json_object' } }],
  ])('anthropic: 400 names %s when no other provider has the model [GW-PROV-8]', async (param, more) => {
    const key = word()
    const response = await chat(key, more)
    const error = expectError(response, 'VALIDATION_ERROR')
    expect(error).toMatchObject({ param, details: { reason: 'provider_unsupported' } })
    expect(error.message).toContain(param)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(anthropic.callsWith(key)).toEqual([])
  })

  test('anthropic: param counts messages as the client does when the gateway adds some [GW-PROV-8]', async () => {
    const part = { type: 'file', file: { file_id: 'file-1' } }
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'juniper-system' }, part] }]
    expect(expectError(await chat(messages), 'VALIDATION_ERROR').param).toBe('messages[0].content[1].file.file_id')
  })
})

describe('models', () => {
  test('anthropic: discovery reads all pages', async () => {
    const { data } = expectSuccess(await governed.admin('POST', '/providers/anthropic/discover', { json: {} }))
    expect(data.map(({ id }) => id)).toEqual(['claude-a', 'claude-b'])
    expect(anthropic.calls.at(-1)).toMatchObject({ method: 'GET', headers: { 'x-api-key': 'sk-ant-scripted' } })
  })

  test('anthropic: provider without a base URL gets the address of Anthropic', async () => {
    const id = word()
    const created = expectSuccess(await governed.admin('POST', '/providers', { json: { id, kind: 'anthropic' } }), 201)
    expect(created).toMatchObject({ kind: 'anthropic', base_url: 'https://api.anthropic.com', path: '/v1/messages' })
    const twice = { id: word(), kind: 'anthropic', base_url: 'https://api.anthropic.com/v1' }
    expect(expectError(await governed.admin('POST', '/providers', { json: twice }), 'VALIDATION_ERROR').param).toBe('base_url')
  })

  test('azure: request names the deployment and has the key in its own header', async () => {
    const id = word()
    const { url } = governed.provider
    const provider = { id, kind: 'azure-openai', base_url: url.replace('/v1', ''), api_key: 'azure-key' }
    expectSuccess(await governed.admin('POST', '/providers', { json: provider }), 201)
    expectSuccess(await governed.admin('PUT', `/providers/${id}/models/${id}`, { json: { upstream_name: 'my gpt' } }))
    const key = word()
    governed.provider.on(key, says('From Azure.'))
    expect(expectSuccess(await chat(key, { model: id })).choices[0]?.message.content).toBe('From Azure.')
    const [call] = governed.provider.callsWith(key)
    expect(call?.headers).toMatchObject({ 'api-key': 'azure-key' })
    expect(call?.headers.authorization).toBeUndefined()
    expect(call?.path).toBe('/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21')
    const list = expectSuccess(await governed.admin('POST', `/providers/${id}/discover`, { json: {} }))
    expect(list).toEqual({ object: 'list', has_list: false, data: [] })
  })
})
