import { ChatAnthropic } from '@langchain/anthropic'
import { type AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CITY, classOf, errorOf, startClientFixture, TEXT } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'

/** LangChain from npm with two of its providers, which have their own copies of the clients' exception classes, against a real server. */
const fixture = await closeAfterAll(startClientFixture())

const openai = (useResponsesApi: boolean, defaultHeaders: Record<string, string> = {}) => {
  const { token: apiKey, baseURL, fetch } = fixture
  return new ChatOpenAI({ model: 'scripted', apiKey, useResponsesApi, configuration: { baseURL, fetch, defaultHeaders } })
}
const anthropic = (defaultHeaders: Record<string, string> = {}) => {
  const { token: apiKey, governed, fetch } = fixture
  const clientOptions = { fetch, defaultHeaders }
  return new ChatAnthropic({ model: 'scripted', apiKey, anthropicApiUrl: governed.base, maxTokens: 99, clientOptions })
}
type Model = (headers?: Record<string, string>) => ChatOpenAI | ChatAnthropic
const MODELS: readonly [string, Model][] = [
  ['openai (chat)', (headers) => openai(false, headers)],
  ['openai (responses)', (headers) => openai(true, headers)],
  ['anthropic', (headers) => anthropic(headers)],
]

const weather = tool(async ({ city }: { city: string }) => `rain in ${city}`, {
  name: 'weather',
  description: 'Weather of a city',
  schema: z.object({ city: z.string() }),
})
const Event = z.object({ name: z.string(), people: z.array(z.string()) })

const collect = async (stream: AsyncIterable<AIMessageChunk>) =>
  (await Array.fromAsync(stream)).reduce((sum, chunk) => sum.concat(chunk))

describe.each(MODELS)('LangChain %s', (_name, model) => {
  test('invoke: returns text and usage', async () => {
    const message = await model().invoke([new SystemMessage('Be brief.'), new HumanMessage(fixture.promptForText(TEXT))])
    expect(message.text).toBe(TEXT)
    expect(message.usage_metadata).toMatchObject({ input_tokens: 11, output_tokens: 7, total_tokens: 18 })
  })

  test('stream: the joined chunks equal the text and have the usage', async () => {
    const stream = await model().stream(fixture.promptForText(TEXT))
    const message = await collect(stream)
    expect(message.text).toBe(TEXT)
    expect(message.usage_metadata).toMatchObject({ input_tokens: 11, output_tokens: 7, total_tokens: 18 })
  })

  test.each(['invoke', 'stream'] as const)('%s: a tool is called and its result sent in the next turn', async (verb) => {
    const key = fixture.promptForTool('It rains.')
    const bound = model().bindTools([weather])
    const send = async (messages: Parameters<typeof bound.invoke>[0]) =>
      verb === 'invoke' ? bound.invoke(messages) : collect(await bound.stream(messages))
    const first = await send([new HumanMessage(key)])
    expect(first.tool_calls).toMatchObject([{ name: 'weather', args: { city: CITY }, id: 'call_weather' }])
    const result = new ToolMessage({ content: await weather.invoke({ city: CITY }), tool_call_id: 'call_weather' })
    const second = await send([new HumanMessage(key), first, result])
    expect(second.text).toBe('It rains.')
    fixture.expectToolTurn(key, `rain in ${CITY}`)
  })

  test('structured output: is parsed by its schema', async () => {
    const key = fixture.promptForText('{"name":"fair","people":["Ann","Bob"]}')
    const structured = model().withStructuredOutput(Event, { method: 'jsonSchema' })
    expect(await structured.invoke(key)).toEqual({ name: 'fair', people: ['Ann', 'Bob'] })
    expect(fixture.sentFor(key)?.response_format).toMatchObject({ type: 'json_schema' })
  })

  test.each(['invoke', 'stream'] as const)('denial: %s has our message and is not retried', async (verb) => {
    fixture.statuses.length = 0
    const error = await errorOf(model()[verb]('juniper-deny'))
    expect(classOf(error)).toBe('PermissionDeniedError')
    expect(error).toMatchObject({ message: expect.stringContaining('policy') })
    expect(fixture.statuses).toEqual([403])
  })

  test('hold: is not retried, and the review item in a header releases the result', async () => {
    fixture.statuses.length = 0
    const prompt = `${fixture.promptForText(TEXT)} juniper-hold`
    const error = await errorOf(model().invoke(prompt))
    expect(classOf(error)).toBe('ConflictError')
    expect(fixture.statuses).toEqual([409])
    const id = (error as { headers: Headers }).headers.get('x-gatehouse-review-item') ?? ''
    await fixture.governed.decide(id, 'approve')
    expect((await model({ 'x-gatehouse-review-item': id }).invoke(prompt)).text).toBe(TEXT)
  })
})

test('LangChain OpenAIEmbeddings: returns the vectors in the order of the texts', async () => {
  const { token: apiKey, baseURL, fetch } = fixture
  const embeddings = new OpenAIEmbeddings({ model: 'scripted', apiKey, configuration: { baseURL, fetch } })
  expect(await embeddings.embedDocuments(['one', 'three'])).toEqual([
    [0, 3, 0.5],
    [1, 5, 0.5],
  ])
  expect(await embeddings.embedQuery('four')).toEqual([0, 4, 0.5])
})
