import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess, type GatewayResponse, type Message } from '../support/gateway-client.ts'
import { saysBlocks, saysText } from '../support/scripted-anthropic.ts'
import { json, says, word } from '../support/scripted-provider.ts'
import { callItem, messageItem, responseObject, saysItems } from '../support/scripted-responses.ts'
import { startThreeUpstreams } from '../support/three-upstreams.ts'

/** Only the provider that sent it can read it. */
const STATE = Buffer.from('a state that only its provider can decode, and no other service').toString('base64')

const upstreams = await closeAfterAll(startThreeUpstreams())
const { governed, anthropic, responses: provider } = upstreams
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token

const addProvider = (fields: object = {}) =>
  governed.addProvider(
    { kind: 'openai', base_url: provider.url, api_key: 'sk-responses', ...fields },
    { upstream_name: 'gpt-up', api: 'responses' },
  )
const { model } = await addProvider()

/** A request of a client of chat completions. */
const chat = (prompt: string | readonly Message[], more: object = {}): Promise<GatewayResponse> =>
  governed.chat(prompt, { model, ...more }, { token })

describe('Messages API', () => {
  test('anthropic: client gets a completion of the chat API, and the provider its own API', async () => {
    const key = word()
    anthropic.on(key, saysText('Good morning.'))
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: `Hello ${key}` },
    ]
    const body = expectSuccess(await chat(messages, { model: 'claude', max_tokens: 50, temperature: 0.3 }))
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

  test('anthropic: tools work over two turns, with thinking returned unchanged', async () => {
    const key = word()
    const thinking = { type: 'thinking', thinking: 'They ask for the weather.', signature: STATE }
    const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }
    anthropic.on(key, saysBlocks([thinking, { type: 'text', text: 'One moment.' }, use], { stop_reason: 'tool_use' }))
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]
    const question = { role: 'user', content: `Weather? ${key}` }
    const first = expectSuccess(await chat([question], { model: 'claude', tools })).choices[0]
    expect(first).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] },
    })
    anthropic.on(key, saysText('Rain.'))
    const answer = { role: 'tool', tool_call_id: 'toolu_1', content: 'rain' }
    const second = expectSuccess(await chat([question, first?.message as Message, answer], { model: 'claude', tools }))
    expect(second.choices[0]?.message.content).toBe('Rain.')
    expect(anthropic.callsWith(key).at(-1)?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [thinking, { type: 'text', text: 'One moment.' }, use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'rain' }] },
      ],
    })
  })

  test('anthropic: param counts messages as the client does when the gateway adds some [GW-PROV-8]', async () => {
    const part = { type: 'file', file: { file_id: 'file-1' } }
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'juniper-system' }, part] }]
    expect(expectError(await chat(messages, { model: 'claude' }), 'VALIDATION_ERROR').param).toBe(
      'messages[0].content[1].file.file_id',
    )
  })
})

describe('models', () => {
  test('anthropic: discovery reads all pages', async () => {
    const { data } = expectSuccess(await governed.admin('POST', '/providers/anthropic/discover', { json: {} }))
    expect(data.map(({ id }) => id)).toEqual(['claude-a', 'claude-b'])
    expect(anthropic.calls.findLast(({ method }) => method === 'GET')).toMatchObject({
      headers: { 'x-api-key': 'sk-ant-scripted' },
    })
    expect(anthropic.calls.at(-1)).toMatchObject({ path: '/v1/messages', body: { max_tokens: 1 } })
  })

  test('anthropic: provider without a base URL gets the address of Anthropic', async () => {
    const id = word()
    const created = expectSuccess(await governed.admin('POST', '/providers', { json: { id, kind: 'anthropic' } }), 201)
    expect(created).toMatchObject({ kind: 'anthropic', base_url: 'https://api.anthropic.com', path: '/v1/messages' })
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
    expect(list).toMatchObject({ has_list: false, data: [], call: { model: 'my gpt', outcome: 'answered' } })
  })
})

describe('Responses API', () => {
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

  const putModel = async (id: string, fields: object) =>
    expectSuccess(await governed.admin('PUT', `/providers/openai/models/${id}`, { json: fields }))

  test('responses: other models of the provider get chat completions, and the default is chat [GW-PROV-12]', async () => {
    const id = word()
    expect(await putModel(id, { upstream_name: 'scripted' })).toMatchObject({ api: 'chat' })
    const key = word()
    governed.provider.on(key, says('From chat.'))
    expect(expectSuccess(await chat(key, { model: id })).choices[0]?.message.content).toBe('From chat.')
    expect(governed.provider.callsWith(key)[0]).toMatchObject({ path: '/v1/chat/completions' })
    expect(await putModel(id, { api: 'responses' })).toMatchObject({ api: 'responses' })
    const patched = await governed.admin('PATCH', `/providers/openai/models/${id}`, { json: { input_price: 3 } })
    expect(expectSuccess(patched)).toMatchObject({ api: 'responses', input_price: 3 })
  })

  test('azure: request for the Responses API names the deployment in its body', async () => {
    const azure = { kind: 'azure-openai', base_url: provider.url.replace('/v1', ''), api_key: 'azure-key' }
    const { model } = await addProvider(azure)
    const key = word()
    provider.on(key, saysItems([messageItem('From Azure.')]))
    expect(expectSuccess(await chat(key, { model })).choices[0]?.message.content).toBe('From Azure.')
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

  test('responses: enormous usage is malformed and counted nowhere', async () => {
    const key = word()
    const usage = { input_tokens: 1e9, output_tokens: 1, total_tokens: 1e9 + 1 }
    provider.on(key, (response) => json(response, 200, responseObject([messageItem('x')], { usage })))
    const response = await chat(key)
    expectError(response, 'PROVIDER_ERROR')
    expect((await governed.recordOf(response)).attempts).toMatchObject([{ outcome: 'malformed' }])
  })
})
