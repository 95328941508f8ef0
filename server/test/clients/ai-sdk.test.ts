import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  embed,
  embedMany,
  generateText,
  type LanguageModel,
  Output,
  RetryError,
  stepCountIs,
  streamText,
  tool,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CITY, errorOf, startClientFixture, TEXT } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'

/** The AI SDK from npm with three of its providers, against a real server. */
// The client would warn that it does not know the model.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
const fixture = await closeAfterAll(startClientFixture())

const options = () => ({ apiKey: fixture.token, baseURL: fixture.baseURL, fetch: fixture.fetch })
const openai = () => createOpenAI(options())
const compatible = () =>
  createOpenAICompatible({
    ...options(),
    name: 'gatehouse',
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
const anthropic = () => createAnthropic(options())

const MODELS: readonly [string, () => LanguageModel][] = [
  ['openai (responses)', () => openai()('scripted')],
  ['openai (chat)', () => openai().chat('scripted')],
  ['openai-compatible', () => compatible()('scripted')],
  ['anthropic', () => anthropic()('scripted')],
]

const weather = tool({
  description: 'Weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `rain in ${city}`,
})
const providerOptions = {
  // By default the client refers to the texts of earlier responses as stored ones.
  openai: { store: false },
  // For a model name that it does not know, the client would otherwise offer a tool with the schema.
  anthropic: { structuredOutputMode: 'outputFormat' },
} as const

describe.each(MODELS)('AI SDK %s', (_name, model) => {
  test('generateText: returns text, finish reason and usage', async () => {
    const result = await generateText({
      model: model(),
      system: 'Be brief.',
      prompt: fixture.promptForText(TEXT),
      maxOutputTokens: 99,
    })
    expect(result).toMatchObject({ text: TEXT, finishReason: 'stop', warnings: [] })
    expect(result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7, totalTokens: 18 })
    expect(result.response.headers).toMatchObject({
      'x-audit-id': expect.stringMatching(/^aud_/),
      'x-gatehouse-verdict': 'allow',
    })
  })

  test('streamText: the joined deltas equal the text', async () => {
    const result = streamText({ model: model(), prompt: fixture.promptForText(TEXT) })
    const deltas = await Array.fromAsync(result.textStream)
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join('')).toBe(TEXT)
    expect(await result.finishReason).toBe('stop')
    expect(await result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
  })

  test.each(['generateText', 'streamText'] as const)(
    '%s: a tool is called and its result sent in the next turn',
    async (verb) => {
      const key = fixture.promptForTool('It rains.')
      const call = {
        model: model(),
        prompt: key,
        tools: { weather },
        stopWhen: stepCountIs(3),
        providerOptions,
      }
      const result = verb === 'generateText' ? await generateText(call) : streamText(call)
      expect(await result.text).toBe('It rains.')
      const [first] = await result.steps
      expect(first?.toolCalls).toMatchObject([{ toolCallId: 'call_weather', toolName: 'weather', input: { city: CITY } }])
      expect(first?.finishReason).toBe('tool-calls')
      fixture.expectToolTurn(key, `rain in ${CITY}`)
    },
  )

  test('history: the messages of a result are sent in the next request', async () => {
    const user = (content: string) => ({ role: 'user' as const, content })
    const first = await generateText({ model: model(), messages: [user(fixture.promptForText(TEXT))], providerOptions })
    const key = fixture.promptForText('Yes.')
    const messages = [user('What is quick?'), ...first.response.messages, user(key)]
    expect((await generateText({ model: model(), messages, providerOptions })).text).toBe('Yes.')
    expect(fixture.sentFor(key)?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: TEXT },
      { role: 'user' },
    ])
  })

  test('structured output: is parsed by its schema', async () => {
    const key = fixture.promptForText('{"name":"fair","people":["Ann","Bob"]}')
    const schema = z.object({ name: z.string(), people: z.array(z.string()) })
    const { output } = await generateText({ model: model(), prompt: key, output: Output.object({ schema }), providerOptions })
    expect(output).toEqual({ name: 'fair', people: ['Ann', 'Bob'] })
    const format = fixture.sentFor(key)?.response_format
    expect(format).toMatchObject({ type: 'json_schema', json_schema: { schema: { required: ['name', 'people'] } } })
  })

  const failingStream = async (prompt: string) => {
    const errors: unknown[] = []
    await streamText({ model: model(), prompt, onError: ({ error }) => void errors.push(error) }).consumeStream()
    throw errors[0]
  }
  test.each([
    ['generateText', (prompt: string) => generateText({ model: model(), prompt })],
    ['streamText', failingStream],
  ])('denial: %s has an APICallError with our message and is not retried', async (_verb, send) => {
    fixture.statuses.length = 0
    const error = await errorOf(send('juniper-deny'))
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: 403, isRetryable: false, message: expect.stringContaining('policy') })
    expect(fixture.statuses).toEqual([403])
  })

  test('hold: is an APICallError, and the review item in a header releases the result', async () => {
    const prompt = `${fixture.promptForText(TEXT)} juniper-hold`
    // This client retries every 409, whatever the response says.
    const call = (headers = {}) => generateText({ model: model(), prompt, headers, maxRetries: 0 })
    const error = await errorOf(call())
    expect(error).toMatchObject({ statusCode: 409, responseBody: expect.stringContaining('POLICY_REVIEW_PENDING') })
    const id = (error as APICallError).responseHeaders?.['x-gatehouse-review-item'] ?? ''
    await fixture.governed.decide(id, 'approve')
    expect((await call({ 'x-gatehouse-review-item': id })).text).toBe(TEXT)
  })
})

test('AI SDK hold: every attempt of the client gets the same review item [GW-RETRY-2]', async () => {
  fixture.statuses.length = 0
  const prompt = `${fixture.promptForText(TEXT)} juniper-hold`
  const error = await errorOf(generateText({ model: openai()('scripted'), prompt, maxRetries: 1 }))
  if (!RetryError.isInstance(error)) throw error
  expect(fixture.statuses).toEqual([409, 409])
  const items = error.errors.map((each) => (each as APICallError).responseHeaders?.['x-gatehouse-review-item'])
  expect(items).toEqual([expect.stringMatching(/^rev_/), items[0]])
})

describe('AI SDK embeddings', () => {
  test.each([
    ['openai', () => openai().textEmbeddingModel('scripted')],
    ['openai-compatible', () => compatible().textEmbeddingModel('scripted')],
  ])('%s: embed and embedMany return the vectors in the order of the texts', async (_name, model) => {
    const { embedding, usage } = await embed({ model: model(), value: 'four' })
    expect(embedding).toEqual([0, 4, 0.5])
    expect(usage.tokens).toBe(9)
    const { embeddings } = await embedMany({ model: model(), values: ['one', 'three'] })
    expect(embeddings).toEqual([
      [0, 3, 0.5],
      [1, 5, 0.5],
    ])
  })
})
