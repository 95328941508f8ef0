import { OpenAI, OpenAIEmbedding, OpenAIResponses } from '@llamaindex/openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CITY, classOf, errorOf, startClientFixture, TEXT } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'

/** LlamaIndex from npm, against a real server. */
const fixture = await closeAfterAll(startClientFixture())

type Headers = Record<string, string>
const options = (defaultHeaders: Headers = {}) => {
  const { token: apiKey, baseURL, fetch } = fixture
  return { model: 'scripted', apiKey, baseURL, additionalSessionOptions: { fetch, defaultHeaders } }
}
const MODELS: readonly [string, (headers?: Headers) => OpenAI | OpenAIResponses][] = [
  ['chat', (headers) => new OpenAI(options(headers))],
  ['responses', (headers) => new OpenAIResponses(options(headers))],
]
type Model = OpenAI
const isDelta = (raw: unknown): boolean => {
  const { type = 'response.output_text.delta' } = raw as { readonly type?: string }
  return type === 'response.output_text.delta'
}
const user = (content: string) => ({ role: 'user' as const, content })

const weather = {
  call: ({ city }: { city: string }) => `rain in ${city}`,
  metadata: {
    name: 'weather',
    description: 'Weather of a city',
    parameters: { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] },
  },
}

describe.each(MODELS)('LlamaIndex %s', (_name, create) => {
  const model = (headers?: Headers) => create(headers) as Model

  test('chat: returns the text', async () => {
    const { message } = await model().chat({
      messages: [{ role: 'system', content: 'Be brief.' }, user(fixture.promptForText(TEXT))],
    })
    expect(message.content).toBe(TEXT)
  })

  test('chat with stream: the joined deltas equal the text', async () => {
    const stream = await model().chat({ messages: [user(fixture.promptForText(TEXT))], stream: true })
    // OpenAIResponses repeats the last delta with every event that follows it.
    const chunks = (await Array.fromAsync(stream)).filter(({ raw }) => isDelta(raw))
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.map(({ delta }) => delta).join('')).toBe(TEXT)
  })

  test('tool: is called and its result sent in the next turn', async () => {
    const key = fixture.promptForTool('It rains.')
    const messages = [user(key)]
    const first = await model().exec({ messages, tools: [weather] })
    const second = await model().exec({ messages: [...messages, ...first.newMessages], tools: [weather] })
    expect(second.newMessages.at(-1)?.content).toBe('It rains.')
    fixture.expectToolTurn(key, `rain in ${CITY}`)
  })

  test.each([false, true])('denial: is PermissionDeniedError and is not retried with stream %s', async (stream) => {
    fixture.statuses.length = 0
    const messages = [user('juniper-deny')]
    const send = async () => (stream ? Array.fromAsync(await model().chat({ messages, stream })) : model().chat({ messages }))
    const error = await errorOf(send())
    expect(classOf(error)).toBe('PermissionDeniedError')
    expect(error).toMatchObject({ message: expect.stringContaining('policy') })
    expect(fixture.statuses).toEqual([403])
  })

  test('hold: is not retried, and the review item in a header releases the result', async () => {
    fixture.statuses.length = 0
    const messages = [user(`${fixture.promptForText(TEXT)} juniper-hold`)]
    const error = await errorOf(model().chat({ messages }))
    expect(classOf(error)).toBe('ConflictError')
    expect(fixture.statuses).toEqual([409])
    const id = (error as { error: { review_item_id: string } }).error.review_item_id
    await fixture.governed.decide(id, 'approve')
    const { message } = await model({ 'x-gatehouse-review-item': id }).chat({ messages })
    expect(message.content).toBe(TEXT)
  })
})

/** OpenAIResponses of this client calls a streamed tool before its arguments are complete, and ignores `responseFormat`. */
describe('LlamaIndex chat only', () => {
  test('tool: is called and its result sent in the next turn when the completion is a stream', async () => {
    const key = fixture.promptForTool('It rains.')
    const model = new OpenAI(options())
    const send = (messages: Parameters<typeof model.chat>[0]['messages']) =>
      model.exec({ messages, tools: [weather], stream: true })
    const first = await send([user(key)])
    await Array.fromAsync(first.stream)
    const second = await send([user(key), ...first.newMessages()])
    expect((await Array.fromAsync(second.stream)).map(({ delta }) => delta).join('')).toBe('It rains.')
    fixture.expectToolTurn(key, `rain in ${CITY}`)
  })

  test('structured output: is parsed by its schema', async () => {
    const key = fixture.promptForText('{"name":"fair","people":["Ann","Bob"]}')
    const responseFormat = z.object({ name: z.string(), people: z.array(z.string()) })
    const { message } = await new OpenAI(options()).chat({ messages: [user(key)], responseFormat })
    expect(JSON.parse(String(message.content))).toEqual({ name: 'fair', people: ['Ann', 'Bob'] })
    expect(fixture.sentFor(key)?.response_format).toMatchObject({ type: 'json_schema' })
  })
})

test('LlamaIndex OpenAIEmbedding: returns the vectors in the order of the texts', async () => {
  const embedding = new OpenAIEmbedding(options())
  expect(await embedding.getTextEmbeddings(['one', 'three'])).toEqual([
    [0, 3, 0.5],
    [1, 5, 0.5],
  ])
  expect(await embedding.getTextEmbedding('four')).toEqual([0, 4, 0.5])
})
