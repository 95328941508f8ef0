import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { prompts, TEXT } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** The Anthropic client from npm, against a real server with a provider of the chat API. */
const governed = await closeAfterAll(sharedGoverned())
const settings = {
  extensions: ['tools', 'content_parts'],
  knowledge: { enabled: false },
  memory: { enabled: false, capture: 'off' },
}
const toolKey = (await governed.application({ default_model: 'scripted', settings })).token

const client = (options: object = {}) => new Anthropic({ apiKey: governed.key(), baseURL: governed.base, ...options })
type Params = Anthropic.MessageCreateParamsNonStreaming
const body = (content: string, more: object = {}): Params => ({
  model: 'scripted',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
  ...more,
})
const { promptForText: promptFor } = prompts(governed)
/** A prompt whose completion is this message of the chat API. */
const promptForMessage = (message: object, finish_reason = 'stop', more: object = {}): string => {
  const key = word()
  governed.provider.on(key, (response) => {
    const { choices: _, ...head } = completion('')
    json(response, 200, { ...head, choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }], ...more })
  })
  return key
}
const failure = async (call: PromiseLike<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> => {
  const thrown = await Promise.resolve(call).then(
    () => new Error('the call succeeded'),
    (error: unknown) => error,
  )
  if (thrown instanceof Anthropic.APIError) return thrown
  throw thrown
}
const bodyOf = ({ error }: InstanceType<typeof Anthropic.APIError>) => error as { type: string; error: Record<string, unknown> }

describe('Anthropic client: messages [GW-ANT-5]', () => {
  test('create: has text, usage, stop reason and the governance block', async () => {
    const message = await client().messages.create(body(promptFor(TEXT)))
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      governance: { audit_id: expect.stringMatching(/^aud_/), decision: { verdict: 'allow' } },
    })
    expect(message.id).toMatch(/^msg_/)
  })

  test('stream: the accumulated message equals the message without a stream', async () => {
    const prompt = promptFor(TEXT)
    const deltas: string[] = []
    const stream = client()
      .messages.stream(body(prompt))
      .on('text', (delta) => deltas.push(delta))
    const message = await stream.finalMessage()
    expect(deltas.length).toBeGreaterThan(2)
    expect(deltas.join('')).toBe(TEXT)
    const { content, stop_reason, usage } = await client().messages.create(body(prompt))
    expect(message).toMatchObject({ content, stop_reason, usage })
  })

  test('usage: cached tokens are counted beside the input', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, prompt_tokens_details: { cached_tokens: 60 } }
    const message = await client().messages.create(body(promptForMessage({ content: 'x' }, 'stop', { usage })))
    expect(message.usage).toMatchObject({ input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 7 })
  })

  test.each([
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['stop', 'end_turn'],
  ])('stop_reason: finish_reason %s is %s', async (finishReason, stopReason) => {
    const message = await client().messages.create(body(promptForMessage({ content: 'x' }, finishReason)))
    expect(message.stop_reason).toBe(stopReason)
  })

  test('thinking: reasoning is a thinking block, as JSON and as a stream', async () => {
    const prompt = promptForMessage({ content: 'done', reasoning_content: 'step by step, then again' })
    for (const message of [
      await client().messages.create(body(prompt)),
      await client().messages.stream(body(prompt)).finalMessage(),
    ])
      expect(message.content).toMatchObject([
        { type: 'thinking', thinking: 'step by step, then again' },
        { type: 'text', text: 'done' },
      ])
  })
})

describe('Anthropic client: tools [GW-ANT-3, GW-ANT-9]', () => {
  const tools: Anthropic.Tool[] = [{ name: 'weather', description: 'by city', input_schema: { type: 'object' } }]
  const calls = [
    { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
    { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '' } },
  ]
  const withTools = () => client({ apiKey: toolKey })

  test('tools: parallel calls and their results go through two turns, also streamed', async () => {
    const prompt = promptForMessage({ content: null, tool_calls: calls }, 'tool_calls')
    const first = await withTools().messages.create(body(prompt, { tools }))
    expect(first).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bern' } },
        { type: 'tool_use', id: 'call_2', name: 'weather', input: {} },
      ],
    })
    const streamed = await withTools().messages.stream(body(prompt, { tools })).finalMessage()
    expect(streamed.content).toEqual(first.content)
    const key = promptFor('sunny')
    const results: Anthropic.ToolResultBlockParam[] = calls.map(({ id }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: key,
    }))
    const second = await withTools().messages.create({
      ...body(prompt, { tools }),
      messages: [
        { role: 'user', content: 'Is it warm?' },
        { role: 'assistant', content: first.content },
        { role: 'user', content: results },
      ],
    })
    expect(second.content).toMatchObject([{ type: 'text', text: 'sunny' }])
    const sent = governed.provider.callsWith(key).at(-1)?.body as { messages: { role: string }[] }
    expect(sent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
  })

  test('tools: 400 that names the extension when the Application does not have it', async () => {
    const error = await failure(client().messages.create(body(word(), { tools })))
    expect(error).toBeInstanceOf(Anthropic.BadRequestError)
    expect(bodyOf(error).error).toMatchObject({ type: 'invalid_request_error', code: 'VALIDATION_ERROR', param: 'tools' })
  })
})

describe('Anthropic client: errors [GW-ANT-6]', () => {
  test('400: names the field of the client when it has no counterpart', async () => {
    const error = await failure(client().messages.create(body('x', { container: 'c' })))
    expect(error).toBeInstanceOf(Anthropic.BadRequestError)
    expect(bodyOf(error)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error', param: 'container' } })
  })

  test('401: for a wrong key in x-api-key, and for a large body before it is read [GW-ANT-2]', async () => {
    const wrong = client({ apiKey: `gk_${'x'.repeat(43)}` })
    for (const text of ['x', 'x'.repeat(300_000)]) {
      const error = await failure(wrong.messages.create(body(text)))
      expect(error).toBeInstanceOf(Anthropic.AuthenticationError)
      expect(bodyOf(error)).toMatchObject({ type: 'error', error: { type: 'authentication_error', code: 'AUTH_INVALID_KEY' } })
    }
  })

  test('bearer: the key is accepted as a bearer token [GW-ANT-2]', async () => {
    const bearer = new Anthropic({ apiKey: null, authToken: governed.key(), baseURL: governed.base })
    expect((await bearer.messages.create(body(promptFor('hello')))).content).toMatchObject([{ text: 'hello' }])
  })

  test('two keys: the bearer token alone counts, valid or not [GW-ANT-2]', async () => {
    const wrong = `gk_${'x'.repeat(43)}`
    const statusOf = async (token: string, key: string) => {
      const headers = { 'anthropic-version': '2023-06-01', 'x-api-key': key }
      return (await governed.post('/v1/messages', body(promptFor('hello')), { token, headers })).status
    }
    expect([await statusOf(governed.key(), wrong), await statusOf(wrong, governed.key())]).toEqual([200, 401])
  })

  test.each([false, true])('409: a hold is not retried, and its resubmission is released (stream: %s)', async (stream) => {
    const key = promptFor('released text')
    const send = (governance: object) =>
      client().messages.create({ ...body(`${key} juniper-hold`, { governance }), stream: false })
    const error = await failure(client().messages.create({ ...body(`${key} juniper-hold`), stream }))
    expect(error).toBeInstanceOf(Anthropic.ConflictError)
    const id = String(bodyOf(error).error.review_item_id)
    await governed.decide(id, 'approve')
    expect((await send({ review_item_id: id })).content).toMatchObject([{ text: 'released text' }])
    expect(governed.provider.callsWith(key)).toHaveLength(1)
  })
})

describe('Anthropic client: other endpoints', () => {
  test('count_tokens: an estimate without a provider call [GW-ANT-7]', async () => {
    const key = promptFor('x')
    const { input_tokens: few } = await client().messages.countTokens({
      model: 'scripted',
      messages: [{ role: 'user', content: key }],
    })
    const { input_tokens: many } = await client().messages.countTokens({
      model: 'scripted',
      messages: [{ role: 'user', content: `${key} ${'word '.repeat(500)}` }],
    })
    expect(few).toBeGreaterThan(0)
    expect(many).toBeGreaterThan(few + 400)
    expect(governed.provider.callsWith(key)).toEqual([])
  })

  test('models: have the form of the API with anthropic-version, and that of OpenAI without [GW-ANT-8]', async () => {
    const { data } = await client().models.list()
    expect(data).toContainEqual(expect.objectContaining({ type: 'model', id: 'scripted' }))
    const plain = expectSuccess(await governed.api('GET', '/v1/models', { token: governed.key() }))
    expect(plain).toMatchObject({ object: 'list' })
  })

  test('POST /v1/messages: belongs to the messaging API without both headers [GW-ANT-1]', async () => {
    const response = await governed.api('POST', '/v1/messages', { token: governed.key(), json: body('x') })
    expect(expectError(response, 'AUTH_INVALID_KEY').message).toContain('messaging API')
  })

  test('base URL with /v1: 404 that names the cause', async () => {
    const client = new Anthropic({ apiKey: governed.key(), baseURL: `${governed.base}/v1`, maxRetries: 0 })
    const asked = client.messages.create({ model: 'scripted', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
    await expect(asked).rejects.toMatchObject({ status: 404, message: expect.stringContaining('Remove /v1 from the base URL') })
  })

  const paths = ['completions', 'images/generations', 'audio/speech', 'files', 'batches', 'moderations', 'realtime']
  test.each([...paths, 'responses/compact'])('/v1/%s: 404 that names the endpoints that there are [GW-OTHER-1]', async (path) => {
    for (const method of ['GET', 'POST'] as const) {
      const response = await governed.api(method, `/v1/${path}`, {
        token: governed.key(),
        ...(method === 'POST' && { json: {} }),
      })
      expect(expectError(response, 'NOT_FOUND').message).toContain('chat/completions')
    }
    const form = new FormData()
    form.set('file', new Blob(['x']), 'a.txt')
    expect((await fetch(`${governed.base}/v1/${path}`, { method: 'POST', body: form })).status).toBe(404)
  })
})
