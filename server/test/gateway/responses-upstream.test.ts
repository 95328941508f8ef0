import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { expectError, expectSuccess, type GatewayResponse, type Message } from '../support/gateway-client.ts'
import { json, says, word } from '../support/scripted-provider.ts'
import {
  callItem,
  messageItem,
  responseObject,
  responsesError,
  saysItems,
  startScriptedResponses,
} from '../support/scripted-responses.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const STATE = Buffer.from('a state that only its provider can decode, and no other service').toString('base64')

const provider = await startScriptedResponses()
const governed = await sharedGoverned()
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token
// Used only if no other provider is left.
expectSuccess(await governed.admin('PATCH', '/providers/openai', { json: { weight: 0 } }))
afterAll(async () => {
  await governed.close()
  await provider.close()
})

const putModel = async (owner: string, id: string, fields: object) =>
  expectSuccess(await governed.admin('PUT', `/providers/${owner}/models/${id}`, { json: fields }))

/** A new provider with a model of the same name, which gets its chats in the Responses API. */
async function addProvider(fields: object = {}): Promise<{ readonly id: string }> {
  const id = word()
  const declared = { id, kind: 'openai', base_url: provider.url, api_key: 'sk-responses', max_retries: 0, ...fields }
  expectSuccess(await governed.admin('POST', '/providers', { json: declared }), 201)
  await putModel(id, id, { upstream_name: 'gpt-up', api: 'responses' })
  return { id }
}
/** A model of the provider. */
const model = (await addProvider()).id

const chat = (prompt: string | readonly Message[], more: object = {}): Promise<GatewayResponse> =>
  governed.chat(prompt, { model, ...more }, { token })
const recordOf = async (response: GatewayResponse) =>
  expectSuccess(await governed.api('GET', `/v1/audit/${response.headers.get('x-audit-id')}`, { token }))

describe('chat', () => {
  test('responses: client gets a completion of the chat API, and the provider its own API [GW-PROV-12]', async () => {
    const key = word()
    provider.on(key, saysItems([messageItem('Good morning.')]))
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: `Hello ${key}` },
    ]
    const body = expectSuccess(await chat(messages, { max_tokens: 50, temperature: 0.3 }))
    expect(body).toMatchObject({ object: 'chat.completion', model, usage: { prompt_tokens: 11, total_tokens: 18 } })
    expect(body.choices).toEqual([{ index: 0, message: { role: 'assistant', content: 'Good morning.' }, finish_reason: 'stop' }])
    const [call] = provider.callsWith(key)
    expect(call).toMatchObject({ path: '/v1/responses', headers: { authorization: 'Bearer sk-responses' } })
    expect(call?.body).toEqual({
      model: 'gpt-up',
      max_output_tokens: 50,
      temperature: 0.3,
      input: [
        { type: 'message', role: 'system', content: 'Be kind.' },
        { type: 'message', role: 'user', content: `Hello ${key}` },
      ],
      store: false,
      stream: true,
    })
  })

  test('responses: reasoning and calls of a chat client come back unchanged in the next turn [GW-PROV-13]', async () => {
    const key = word()
    const thought = {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'They ask for the weather.' }],
      encrypted_content: STATE,
    }
    provider.on(key, saysItems([thought, callItem('call_1', 'weather', { city: 'Oslo' })]))
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]
    const question = { role: 'user', content: `Weather? ${key}` }
    const first = expectSuccess(await chat([question], { tools, reasoning_effort: 'low' })).choices[0]
    provider.on(key, saysItems([messageItem('Rain.')]))
    const answer = { role: 'tool', tool_call_id: 'call_1', content: 'rain' }
    const second = expectSuccess(await chat([question, first?.message as Message, answer], { tools }))
    expect(second.choices[0]?.message.content).toBe('Rain.')
    expect(provider.callsWith(key).at(-1)?.body).toMatchObject({
      include: ['reasoning.encrypted_content'],
      input: [
        { role: 'user' },
        thought,
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
      ],
    })
  })

  test('responses: items of a client of the same API come back unchanged [GW-PROV-13]', async () => {
    const key = word()
    const thought = (id: string) => ({ id, type: 'reasoning', summary: [], encrypted_content: STATE })
    const output = [thought('rs_1'), callItem('a', 'weather'), thought('rs_2'), callItem('b', 'weather')]
    provider.on(key, saysItems(output))
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }]
    const settings = { model, tools, include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } }
    const ask = async (input: unknown) =>
      expectSuccess(await governed.api('POST', '/v1/responses', { token, json: { ...settings, input } }))
    const first = await ask([{ role: 'user', content: key }])
    expect(provider.callsWith(key)[0]?.body).toMatchObject({ include: settings.include, reasoning: { summary: 'auto' } })
    const results = ['a', 'b'].map((call_id) => ({ type: 'function_call_output', call_id, output: 'rain' }))
    provider.on(key, saysItems([messageItem('Rain.')]))
    await ask([{ role: 'user', content: key }, ...(first.output as object[]), ...results])
    const { input } = provider.callsWith(key).at(-1)?.body ?? {}
    expect((input as object[]).slice(1, 5)).toEqual(
      output.map((item) => (item.type === 'reasoning' ? item : { ...item, id: undefined, status: undefined })),
    )
  })

  test('responses: other models of the provider get chat completions, and the default is chat [GW-PROV-12]', async () => {
    const id = word()
    expect(await putModel('openai', id, { upstream_name: 'scripted' })).toMatchObject({ api: 'chat' })
    const key = word()
    governed.provider.on(key, says('From chat.'))
    expect(expectSuccess(await chat(key, { model: id })).choices[0]?.message.content).toBe('From chat.')
    expect(governed.provider.callsWith(key)[0]).toMatchObject({ path: '/v1/chat/completions' })
    expect(await putModel('openai', id, { api: 'responses' })).toMatchObject({ api: 'responses' })
    const patched = await governed.admin('PATCH', `/providers/openai/models/${id}`, { json: { input_price: 3 } })
    expect(expectSuccess(patched)).toMatchObject({ api: 'responses', input_price: 3 })
  })

  test('azure: request for the Responses API names the deployment in its body', async () => {
    const { id } = await addProvider({ kind: 'azure-openai', base_url: provider.url.replace('/v1', ''), api_key: 'azure-key' })
    const key = word()
    provider.on(key, saysItems([messageItem('From Azure.')]))
    expect(expectSuccess(await chat(key, { model: id })).choices[0]?.message.content).toBe('From Azure.')
    expect(provider.callsWith(key)[0]).toMatchObject({
      path: '/openai/v1/responses',
      headers: { 'api-key': 'azure-key' },
      body: { model: 'gpt-up' },
    })
  })

  test('model: 400 names api when the kind of the provider has no Responses API', async () => {
    const id = word()
    expectSuccess(await governed.admin('POST', '/providers', { json: { id, kind: 'anthropic' } }), 201)
    const refused = await governed.admin('PUT', `/providers/${id}/models/a`, { json: { api: 'responses' } })
    expect(expectError(refused, 'VALIDATION_ERROR').param).toBe('api')
  })
})

describe('governance', () => {
  test.each<[string, readonly object[]]>([
    ['text', [messageItem('sorrel-deny hidden-word')]],
    ['arguments of a call', [callItem('a', 'x', { a: 'sorrel-deny hidden-word' })]],
    ['input of a custom tool', [{ type: 'custom_tool_call', call_id: 'a', name: 'x', input: 'sorrel-deny hidden-word' }]],
    ['refusal', [{ ...messageItem(''), content: [{ type: 'refusal', refusal: 'sorrel-deny hidden-word' }] }]],
    [
      'summary of the reasoning',
      [{ id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'sorrel-deny hidden-word' }] }, messageItem('x')],
    ],
  ])('responses: denied %s never reaches the client', async (_, output) => {
    const key = word()
    provider.on(key, saysItems(output))
    for (const stream of [false, true]) {
      const response = await chat(key, { stream })
      expect(response.text).not.toContain('hidden-word')
      expectError(response, 'POLICY_DENIED')
    }
  })

  test('responses: redaction reaches the provider', async () => {
    const key = word()
    const call = { id: 'a', type: 'function', function: { name: 'x', arguments: '{"to":"ann@example.org"}' } }
    const history = [
      { role: 'user', content: `${key} juniper-redact write to ann@example.org` },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'sent to ann@example.org' },
    ]
    expectSuccess(await chat(history))
    const [sent] = provider.callsWith(key)
    expect(sent?.raw).not.toContain('ann@example.org')
    expect(sent?.raw).toContain('function_call_output')
  })
})

type Behaviour = (response: ServerResponse) => void

describe('failures', () => {
  const failed = (code: string): Behaviour =>
    saysItems([], { status: 'failed', error: { code, message: 'upstream-private-diagnostics' } }) as Behaviour
  const FAILED = { status: 'failed', error: { code: 'server_error', message: 'm' } }
  /** A stream that has this text, and then fails. */
  const failedStream =
    (text: string, code: string): Behaviour =>
    (response) => {
      const last = { type: 'response.failed', response: responseObject([], { status: 'failed', error: { code, message: 'm' } }) }
      const events = [...(text ? [{ type: 'response.output_text.delta', delta: text }] : []), last]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    }

  test.each<[string, Behaviour, number, string]>([
    ['401', responsesError(401, {}) as Behaviour, 401, 'key_rejected'],
    ['503', responsesError(503, {}) as Behaviour, 503, 'status'],
    ['a failed response', failed('server_error'), 500, 'status'],
    ['a failed response at its rate limit', failed('rate_limit_exceeded'), 429, 'rate_limited'],
    ['a failure after its text has begun', failedStream('Good morning.', 'rate_limit_exceeded'), 429, 'error_event'],
    ['a failed response with output', saysItems([messageItem('Good')], FAILED) as Behaviour, 500, 'error_event'],
    ['a stream that only reports a failure', failedStream('', 'server_error'), 500, 'status'],
    ['an item of an unknown type', saysItems([{ type: 'hologram' }]) as Behaviour, 200, 'malformed'],
    ['a response in progress', saysItems([messageItem('x')], { status: 'in_progress' }) as Behaviour, 200, 'truncated'],
    ['a completion of the chat API', (response) => json(response, 200, { choices: [] }), 200, 'malformed'],
  ])(
    'responses: the next provider serves when the provider responds with %s [GW-PROV-14]',
    async (_, behaviour, status, outcome) => {
      const { id } = await addProvider()
      await putModel('openai', id, { upstream_name: 'scripted' })
      const key = word()
      provider.on(key, behaviour as (response: ServerResponse) => void)
      governed.provider.on(key, says('From the other one.'))
      const response = await chat(key, { model: id })
      expect(expectSuccess(response).choices[0]?.message.content).toBe('From the other one.')
      expect((await recordOf(response)).attempts).toMatchObject([
        { provider: id, status, outcome },
        { provider: 'openai', status: 200, outcome: 'ok' },
      ])
    },
  )

  test.each<[string, Behaviour, string | null]>([
    ['a refused field', responsesError(400, { code: 'invalid_value', param: 'input[0].content' }) as Behaviour, 'messages'],
    [
      'a refused schema',
      responsesError(400, { code: 'invalid_value', param: 'text.format.schema' }) as Behaviour,
      'response_format',
    ],
    ['a failed response that the request caused', failed('invalid_prompt'), null],
  ])('responses: client gets 400 with the field of the chat after %s [GW-PROV-14]', async (_, behaviour, param) => {
    const key = word()
    provider.on(key, behaviour)
    const response = await chat(key)
    const error = expectError(response, 'VALIDATION_ERROR')
    expect(error).toMatchObject({ details: { reason: 'provider_refused' } })
    expect(error.param ?? null).toBe(param)
    expect(response.text).not.toContain('upstream-private-diagnostics')
  })

  test('responses: another provider serves when a field has no equivalent [GW-PROV-8]', async () => {
    const { id } = await addProvider()
    await putModel('openai', id, { upstream_name: 'scripted' })
    const key = word()
    governed.provider.on(key, says('With a seed.'))
    const response = await chat(key, { model: id, seed: 7 })
    expect(expectSuccess(response).choices[0]?.message.content).toBe('With a seed.')
    expect(provider.callsWith(key)).toEqual([])
    expect(expectError(await chat(key, { seed: 7 }), 'VALIDATION_ERROR')).toMatchObject({
      param: 'seed',
      details: { reason: 'provider_unsupported' },
    })
  })

  test('responses: enormous usage is malformed and counted nowhere', async () => {
    const key = word()
    const usage = { input_tokens: 1e9, output_tokens: 1, total_tokens: 1e9 + 1 }
    provider.on(key, (response) => json(response, 200, responseObject([messageItem('x')], { usage })))
    const response = await chat(key)
    expectError(response, 'PROVIDER_ERROR')
    expect((await recordOf(response)).attempts).toMatchObject([{ outcome: 'malformed' }])
  })
})
