import { describe, expect, test } from 'vitest'
import { startClientFixture } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { CHAT, EMBEDDINGS, type GatewayResponse } from '../support/gateway-client.ts'
import { json, word } from '../support/scripted-provider.ts'
import { EXCHANGES, type Exchange, TWO_CHOICES } from './support/exchanges.ts'
import { foreignRepository } from './support/foreign-repository.ts'
import { openaiSchemas } from './support/openai-schemas.ts'

/** Responses and events of the gateway, validated by OpenAI's own description of its API (github.com/openai/openai-openapi). */
const repository = foreignRepository('OPENAI_OPENAPI_GIT')

/** OpenAI's own service deviates from its description in the same way (docs/compatibility.md). */
const DEVIATIONS = [
  // The description of a chunk has function calls only.
  /^CreateChatCompletionStreamResponse\/choices\/0\/delta\/tool_calls\/0\/type: /,
  // The service sends null before the response is complete.
  /^Response(Created|InProgress)Event\/response\/usage: must be object/,
  // The description does not know the encoding base64.
  /^CreateEmbeddingResponse\/data\/\d\/embedding: must be array/,
]

describe.skipIf(!repository)('OpenAI schemas', async () => {
  let schemas: ReturnType<typeof openaiSchemas>
  /** Types of all events. */
  const sent = new Set<string>()
  if (repository) schemas = openaiSchemas(repository)
  const fixture = await closeAfterAll(startClientFixture())

  const post = (path: string, body: object, options: object = {}) =>
    fixture.governed.post(path, body, { token: fixture.token, ...options })
  /** A prompt whose completion is that of the exchange. */
  const promptFor = ({ completion }: Exchange): string => {
    const key = word()
    fixture.governed.provider.on(key, (response) => json(response, 200, completion))
    return key
  }
  const chat = (exchange: Exchange, more: object = {}) =>
    post(CHAT, { model: 'scripted', messages: [{ role: 'user', content: promptFor(exchange) }], ...exchange.chat, ...more })
  const responses = (exchange: Exchange, more: object = {}) =>
    post('/v1/responses', { model: 'scripted', input: promptFor(exchange), ...exchange.responses, ...more })
  const eventsOf = ({ status, text }: GatewayResponse) => {
    expect(status, text).toBe(200)
    const lines = text.split('\n').filter((line) => line.startsWith('data: '))
    expect(lines.pop()).toBe('data: [DONE]')
    expect(lines.length).toBeGreaterThan(1)
    return lines.map((line) => JSON.parse(line.slice('data: '.length)))
  }
  const unexpected = (problems: readonly string[]) =>
    problems.filter((problem) => !DEVIATIONS.some((deviation) => deviation.test(problem)))
  const expectValid = (name: string, { status, text, body }: GatewayResponse) => {
    expect(status, text).toBe(200)
    expect(unexpected(schemas.problemsOf(name, body))).toEqual([])
  }

  describe.each([...EXCHANGES, TWO_CHOICES])('chat completions: $name', (exchange) => {
    test('response is valid', async () => expectValid('CreateChatCompletionResponse', await chat(exchange)))
    test('each chunk is valid', async () => {
      const chunks = eventsOf(await chat(exchange, { stream: true, stream_options: { include_usage: true } }))
      const problems = chunks.flatMap((chunk) => schemas.problemsOf('CreateChatCompletionStreamResponse', chunk))
      expect(unexpected(problems)).toEqual([])
    })
  })

  describe.each(EXCHANGES)('responses: $name', (exchange) => {
    test('response is valid', async () => expectValid('Response', await responses(exchange)))
    test('each event is valid', async () => {
      const events = eventsOf(await responses(exchange, { stream: true }))
      expect(unexpected(events.flatMap((event) => schemas.problemsOfEvent(event)))).toEqual([])
      for (const { type } of events) sent.add(type)
    })
  })
  test('responses: the exchanges have all events of texts, refusals, reasoning and calls', () => {
    expect([...sent].filter((type) => /\.delta$/.test(type)).sort()).toEqual([
      ...['response.custom_tool_call_input.delta', 'response.function_call_arguments.delta', 'response.output_text.delta'],
      ...['response.reasoning_summary_text.delta', 'response.reasoning_text.delta', 'response.refusal.delta'],
    ])
    expect([...sent]).toEqual(expect.arrayContaining(['response.incomplete', 'response.output_text.annotation.added']))
  })

  test.each(['float', 'base64'])('embeddings: response is valid with encoding %s', async (encoding_format) => {
    const response = await post(EMBEDDINGS, { model: 'scripted', input: ['one', 'three'], encoding_format })
    expectValid('CreateEmbeddingResponse', response)
  })
  test('models: list and entry are valid', async () => {
    const { token } = fixture
    expectValid('ListModelsResponse', await fixture.governed.api('GET', '/v1/models', { token }))
    expectValid('Model', await fixture.governed.api('GET', '/v1/models/scripted', { token }))
  })
  test.each([
    ['a denial', 'juniper-deny', {}, 403],
    ['a hold', 'juniper-hold', {}, 409],
    ['a field that is not valid', 'x', { temperature: 'hot' }, 400],
    ['an unknown model', 'x', { model: 'none' }, 422],
  ])('errors: the envelope of %s is valid', async (_name, content, more, status) => {
    for (const [path, text] of [
      [CHAT, { messages: [{ role: 'user', content }] }],
      ['/v1/responses', { input: content }],
    ] as const) {
      const response = await post(path, { model: 'scripted', ...text, ...more })
      expect(response.status).toBe(status)
      expect(schemas.problemsOf('ErrorResponse', response.body)).toEqual([])
    }
  })
})
