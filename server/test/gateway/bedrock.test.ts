import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { bedrockChunk, eventStreamMessage, header } from '../support/event-stream.ts'
import { expectError, expectSuccess, type Message } from '../support/gateway-client.ts'
import { anthropicMessage, saysBlocks } from '../support/scripted-anthropic.ts'
import { BEDROCK_API_KEY, BEDROCK_KEYS, BEDROCK_REGION, startScriptedBedrock } from '../support/scripted-bedrock.ts'
import { json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { eventsOf } from '../support/upstream-stream.ts'

const SIGNED_KEY = Object.values(BEDROCK_KEYS).join(':')
const CLAUDE = 'eu.anthropic.claude-b-v1:0'

const bedrock = await closeAfterAll(startScriptedBedrock())
const governed = await closeAfterAll(sharedGoverned())
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token

const DECLARED = { kind: 'bedrock', base_url: bedrock.url, region: BEDROCK_REGION, api_key: SIGNED_KEY }
const addProvider = (upstream_name: string, fields: object = {}) =>
  governed.addProvider({ ...DECLARED, ...fields }, { upstream_name })
const chat = async (prompt: string | readonly Message[], model: string, more: object = {}) =>
  expectSuccess(await governed.chat(prompt, { model, ...more }, { token })).choices[0]

describe('requests', () => {
  test('bedrock: model of Anthropic is invoked with a signed body of the Messages API [GW-PROV-15]', async () => {
    const { model } = await addProvider(CLAUDE)
    const key = word()
    expect(await chat(`Hello ${key}`, model, { max_tokens: 50 })).toMatchObject({ message: { content: 'From Claude.' } })
    const [call] = bedrock.callsWith(key)
    expect(call?.path).toBe('/model/eu.anthropic.claude-b-v1%3A0/invoke-with-response-stream')
    expect(call?.body).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 50,
      messages: [{ role: 'user', content: [{ type: 'text', text: `Hello ${key}` }] }],
    })
    expect(call?.raw).not.toContain(BEDROCK_KEYS.secretAccessKey)
    expect(JSON.stringify(call?.headers)).not.toContain(BEDROCK_KEYS.secretAccessKey)
  })

  test('bedrock: model of another vendor gets a signed chat completion request [GW-PROV-15]', async () => {
    const { model } = await addProvider('openai.gpt-oss-120b-1:0')
    const key = word()
    expect(await chat(key, model)).toMatchObject({ message: { content: 'From an open model.' } })
    expect(bedrock.callsWith(key)[0]).toMatchObject({
      path: '/openai/v1/chat/completions',
      body: { model: 'openai.gpt-oss-120b-1:0', messages: [{ role: 'user', content: key }], stream: true },
    })
  })

  test('bedrock: a path that ends in /invoke selects the Messages API for names without a vendor', async () => {
    const arn = 'arn:aws:bedrock:eu-central-1:1:application-inference-profile/abc'
    const { model } = await addProvider(arn, { path: '/model/{deployment}/invoke' })
    const key = word()
    expect(await chat(key, model)).toMatchObject({ message: { content: 'From Claude.' } })
    expect(bedrock.callsWith(key)[0]?.path).toBe(`/model/${encodeURIComponent(arn)}/invoke-with-response-stream`)
  })

  test('bedrock: a Bedrock API key is sent as a bearer token', async () => {
    const { id, model } = await addProvider(CLAUDE, { api_key: BEDROCK_API_KEY })
    const key = word()
    await chat(key, model)
    expect(bedrock.callsWith(key)[0]?.headers.authorization).toBe(`Bearer ${BEDROCK_API_KEY}`)
    expect(expectSuccess(await governed.admin('POST', `/providers/${id}/discover`, { json: {} })).data).toHaveLength(2)
  })

  test('bedrock: betas stand in the body, and the lifetime of cache entries is left out everywhere else than in data', async () => {
    const { model } = await addProvider(CLAUDE, { headers: { 'anthropic-beta': 'one-2026, two-2026' } })
    const key = word()
    const control = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(control) } }
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } }, ...control }]
    const messages = [
      { role: 'user', content: [{ type: 'text', text: key, ...control }] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ]
    await chat(messages, model, { tools, ...control })
    const kept = { cache_control: { type: 'ephemeral' } }
    expect(bedrock.callsWith(key)[0]?.body).toMatchObject({ anthropic_beta: ['one-2026', 'two-2026'], tools: [kept] })
    expect(bedrock.callsWith(key)[0]?.body).not.toHaveProperty('cache_control')
    expect(bedrock.callsWith(key)[0]?.body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: key, ...kept }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: control }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'done' }] },
    ])
  })

  test('bedrock: tools work over two turns, with thinking returned unchanged', async () => {
    const { model } = await addProvider(CLAUDE)
    const key = word()
    const thinking = { type: 'thinking', thinking: 'They ask.', signature: Buffer.alloc(60, 'signature').toString('base64') }
    const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }
    bedrock.on(key, saysBlocks([thinking, use], { stop_reason: 'tool_use' }))
    const question = { role: 'user', content: key }
    const first = await chat([question], model)
    bedrock.on(key, saysBlocks([{ type: 'text', text: 'Rain.' }]))
    const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'rain' }
    expect(await chat([question, first?.message as Message, result], model)).toMatchObject({ message: { content: 'Rain.' } })
    expect(bedrock.callsWith(key)[1]?.body).toMatchObject({ messages: [{}, { content: [thinking, use] }, {}] })
  })
})

describe('failures', () => {
  test('bedrock: without streams, InvokeModel is requested', async () => {
    const { model } = await addProvider(CLAUDE, { stream: false })
    const key = word()
    expect(await chat(key, model)).toMatchObject({ message: { content: 'From Claude.' } })
    expect(bedrock.callsWith(key)[0]?.path).toBe('/model/eu.anthropic.claude-b-v1%3A0/invoke')
  })

  test('bedrock: an exception in mid-stream is retried, and no part of the first response leaves', async () => {
    const { model } = await addProvider(CLAUDE, { max_retries: 1 })
    const key = word()
    bedrock.on(key, (response) => {
      const message = anthropicMessage([{ type: 'text', text: 'Second.' }])
      if (bedrock.callsWith(key).length > 1) return json(response, 200, message)
      const exception = [header(':message-type', 'exception'), header(':exception-type', 'modelStreamErrorException')]
      const events = eventsOf(anthropicMessage([{ type: 'text', text: 'First.' }])) ?? []
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
      response.end(Buffer.concat([...events.slice(0, 4).map(bedrockChunk), eventStreamMessage(exception, '{}')]))
    })
    expect(await chat(key, model)).toMatchObject({ message: { content: 'Second.' } })
  })

  test.each(['cut', 'wrong checksum'])('bedrock: a stream that is %s is a provider error', async (how) => {
    const { model } = await addProvider(CLAUDE)
    const key = word()
    bedrock.on(key, (response) => {
      const chunks = (eventsOf(anthropicMessage([{ type: 'text', text: 'First.' }])) ?? []).map(bedrockChunk)
      const bytes = Buffer.concat(how === 'cut' ? chunks.slice(0, -2) : chunks)
      if (how !== 'cut') bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40)
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' }).end(bytes)
    })
    expectError(await governed.chat(key, { model }, { token }), 'PROVIDER_ERROR')
  })

  test('bedrock: a retry is signed again', async () => {
    const { model } = await addProvider(CLAUDE, { max_retries: 1 })
    const key = word()
    bedrock.on(key, (response) => {
      const isFirst = bedrock.callsWith(key).length === 1
      json(response, isFirst ? 503 : 200, isFirst ? { message: 'busy' } : anthropicMessage([{ type: 'text', text: 'Now.' }]))
    })
    expect(await chat(key, model)).toMatchObject({ message: { content: 'Now.' } })
    expect(bedrock.callsWith(key)).toHaveLength(2)
  })

  test('bedrock: a wrong secret is a rejected key, which the connection test names', async () => {
    const { id, model } = await addProvider(CLAUDE, { api_key: `${BEDROCK_KEYS.accessKeyId}:another/secret+access/key00` })
    expectError(await governed.chat(word(), { model }, { token }), 'PROVIDER_ERROR')
    const error = expectError(await governed.admin('POST', `/providers/${id}/discover`, { json: {} }), 'PROVIDER_ERROR')
    expect(error.details).toMatchObject({ cause: 'unauthorized', status: 403 })
  })

  test('bedrock: a model that does not exist is a refusal for operators', async () => {
    const { model } = await addProvider(CLAUDE)
    const key = word()
    bedrock.on(key, (response) => json(response, 400, { message: 'The provided model identifier is invalid.' }))
    expect(expectError(await governed.chat(key, { model }, { token }), 'VALIDATION_ERROR').details).toMatchObject({
      provider_code: 'model_not_found',
    })
  })

  test('bedrock: embeddings are not sent, because it has no such API', async () => {
    const { model } = await addProvider(CLAUDE)
    const response = await governed.api('POST', '/v1/embeddings', { token, json: { model, input: word() } })
    expect(expectError(response, 'VALIDATION_ERROR').details).toMatchObject({ reason: 'provider_unsupported' })
  })
})

describe('declarations', () => {
  test('bedrock: models of texts are listed with a signed request', async () => {
    const { id } = await addProvider(CLAUDE)
    const { data } = expectSuccess(await governed.admin('POST', `/providers/${id}/discover`, { json: {} }))
    expect(data.map((entry) => entry.id)).toEqual(['anthropic.claude-b-v1:0', 'openai.gpt-oss-120b-1:0'])
  })

  test('bedrock: address of the region is the default', async () => {
    const json = { id: word(), kind: 'bedrock', region: 'us-east-1', api_key: BEDROCK_API_KEY }
    expect(expectSuccess(await governed.admin('POST', '/providers', { json }), 201)).toMatchObject({
      base_url: 'https://bedrock-runtime.{region}.amazonaws.com',
      path: '/openai/v1/chat/completions',
    })
  })
})
