import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatAnthropic } from '@langchain/anthropic'
import { type AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { OpenAI as LlamaIndexChat, OpenAIResponses } from '@llamaindex/openai'
import { Agent, tool as agentsTool, OpenAIProvider, Runner } from '@openai/agents'
import { APICallError, tool as aiTool, generateText, type LanguageModel, Output, RetryError, stepCountIs, streamText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CITY, classOf, errorOf, startClientFixture, TEXT } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'

/** Frameworks from npm, against a real server. Some have their own copies of a client's exception classes. */
// The AI SDK would warn that it does not know the model.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
const fixture = await closeAfterAll(startClientFixture())
const { token: apiKey, baseURL, fetch } = fixture

interface Options {
  readonly stream?: boolean
  /** Releases the result of a held request. */
  readonly reviewItem?: string
}
interface Model {
  /** Sends a prompt after the instruction to be brief; returns the text or its deltas. */
  readonly send: (prompt: string, options: Options) => Promise<readonly string[]>
  /** Sends a prompt with the tool `weather`, then the result of its call; returns the text of the second turn. */
  readonly sendWithTool: (prompt: string, stream: boolean) => Promise<string>
  /** Sends a prompt with the schema `Event`; returns the parsed text. */
  readonly parse: (prompt: string) => Promise<unknown>
}
type Headers = Readonly<Record<string, string>>
const headersOf = ({ reviewItem }: Options): Record<string, string> =>
  reviewItem === undefined ? {} : { 'x-gatehouse-review-item': reviewItem }

const City = z.object({ city: z.string() })
const Event = z.object({ name: z.string(), people: z.array(z.string()) })
const WEATHER = { name: 'weather', description: 'Weather of a city' }
const rainIn = ({ city }: z.infer<typeof City>) => `rain in ${city}`
const INSTRUCTION = 'Be brief.'

const openai = createOpenAI({ apiKey, baseURL, fetch })
const compatible = { name: 'gatehouse', includeUsage: true, supportsStructuredOutputs: true }
const AI_SDK: readonly (readonly [string, LanguageModel])[] = [
  ['AI SDK openai (responses)', openai('scripted')],
  ['AI SDK openai (chat)', openai.chat('scripted')],
  ['AI SDK openai-compatible', createOpenAICompatible({ apiKey, baseURL, fetch, ...compatible })('scripted')],
  ['AI SDK anthropic', createAnthropic({ apiKey, baseURL, fetch })('scripted')],
]
const providerOptions = {
  // By default the client refers to the texts of earlier responses as stored ones.
  openai: { store: false },
  // For a model name that it does not know, the client would otherwise offer a tool with the schema.
  anthropic: { structuredOutputMode: 'outputFormat' },
} as const

const aiSdk = (model: LanguageModel): Model => ({
  send: async (prompt, options) => {
    // This client retries every 409 and ignores `x-should-retry: false`.
    const retries = prompt.endsWith('juniper-hold') ? { maxRetries: 0 } : {}
    const errors: unknown[] = []
    const call = { model, system: INSTRUCTION, prompt, maxOutputTokens: 99, headers: headersOf(options), ...retries }
    const result = options.stream
      ? streamText({ ...call, onError: ({ error }) => void errors.push(error) })
      : await generateText(call)
    const texts = 'textStream' in result ? await Array.fromAsync(result.textStream) : [result.text]
    if (errors.length > 0) throw errors[0]
    expect(await result.finishReason).toBe('stop')
    expect(await result.warnings).toEqual([])
    expect(await result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7, totalTokens: 18 })
    const { headers } = await result.response
    expect(headers).toMatchObject({ 'x-audit-id': expect.stringMatching(/^aud_/) })
    return texts
  },
  sendWithTool: async (prompt, stream) => {
    const tools = { weather: aiTool({ ...WEATHER, inputSchema: City, execute: async (city) => rainIn(city) }) }
    const call = { model, prompt, tools, stopWhen: stepCountIs(3), providerOptions }
    const result = stream ? streamText(call) : await generateText(call)
    const text = await result.text
    const [first] = await result.steps
    expect(first?.toolCalls).toMatchObject([{ toolCallId: 'call_weather', toolName: 'weather', input: { city: CITY } }])
    expect(first?.finishReason).toBe('tool-calls')
    return text
  },
  parse: async (prompt) =>
    (await generateText({ model, prompt, output: Output.object({ schema: Event }), providerOptions })).output,
})

type ChatModel = (defaultHeaders?: Headers) => ChatOpenAI | ChatAnthropic
const langchainOpenai =
  (useResponsesApi: boolean): ChatModel =>
  (defaultHeaders = {}) =>
    new ChatOpenAI({ model: 'scripted', apiKey, useResponsesApi, configuration: { baseURL, fetch, defaultHeaders } })
const langchainAnthropic: ChatModel = (defaultHeaders = {}) =>
  new ChatAnthropic({
    ...{ model: 'scripted', apiKey, anthropicApiUrl: fixture.governed.base, maxTokens: 99 },
    clientOptions: { fetch, defaultHeaders: { ...defaultHeaders } },
  })
const joined = (chunks: readonly AIMessageChunk[]) => chunks.reduce((sum, chunk) => sum.concat(chunk))

const langchain = (model: ChatModel): Model => ({
  send: async (prompt, options) => {
    const chat = model(headersOf(options))
    const messages = [new SystemMessage(INSTRUCTION), new HumanMessage(prompt)]
    const chunks = options.stream ? await Array.fromAsync(await chat.stream(messages)) : [await chat.invoke(messages)]
    expect(joined(chunks).usage_metadata).toMatchObject({ input_tokens: 11, output_tokens: 7, total_tokens: 18 })
    return chunks.map(({ text }) => text)
  },
  sendWithTool: async (prompt, stream) => {
    const weather = langchainTool(async (city: z.infer<typeof City>) => rainIn(city), { ...WEATHER, schema: City })
    const bound = model().bindTools([weather])
    const send = async (messages: Parameters<typeof bound.invoke>[0]) =>
      stream ? joined(await Array.fromAsync(await bound.stream(messages))) : bound.invoke(messages)
    const first = await send([new HumanMessage(prompt)])
    expect(first.tool_calls).toMatchObject([{ name: 'weather', args: { city: CITY }, id: 'call_weather' }])
    const result = new ToolMessage({ content: await weather.invoke({ city: CITY }), tool_call_id: 'call_weather' })
    return (await send([new HumanMessage(prompt), first, result])).text
  },
  parse: (prompt) => model().withStructuredOutput(Event, { method: 'jsonSchema' }).invoke(prompt),
})

const llamaIndexOptions = (defaultHeaders: Headers = {}) => ({
  ...{ model: 'scripted', apiKey, baseURL },
  additionalSessionOptions: { fetch, defaultHeaders },
})
const LLAMA_INDEX_TOOL = {
  call: rainIn,
  metadata: {
    ...WEATHER,
    parameters: { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] },
  },
}
/** OpenAIResponses repeats the last delta with every event that follows it. */
const isDelta = (raw: unknown): boolean => {
  const { type = 'response.output_text.delta' } = raw as { readonly type?: string }
  return type === 'response.output_text.delta'
}
const llamaIndex = (create: (headers: Headers) => LlamaIndexChat | OpenAIResponses): Model => {
  const modelWith = (options: Options) => create(headersOf(options)) as LlamaIndexChat
  const user = (content: string) => ({ role: 'user' as const, content })
  type Messages = Parameters<LlamaIndexChat['chat']>[0]['messages']
  return {
    send: async (prompt, { stream, ...options }) => {
      const messages: Messages = [{ role: 'system', content: INSTRUCTION }, user(prompt)]
      const model = modelWith(options)
      if (!stream) return [String((await model.chat({ messages })).message.content)]
      const chunks = await Array.fromAsync(await model.chat({ messages, stream }))
      return chunks.filter(({ raw }) => isDelta(raw)).map(({ delta }) => delta)
    },
    sendWithTool: async (prompt, stream) => {
      const send = async (messages: Messages) => {
        const call = { messages, tools: [LLAMA_INDEX_TOOL] }
        if (!stream) return (await modelWith({}).exec(call)).newMessages
        const result = await modelWith({}).exec({ ...call, stream })
        await Array.fromAsync(result.stream)
        return result.newMessages()
      }
      const second = await send([user(prompt), ...(await send([user(prompt)]))])
      return String(second.at(-1)?.content)
    },
    parse: async (prompt) => {
      const { message } = await modelWith({}).chat({ messages: [user(prompt)], responseFormat: Event })
      return JSON.parse(String(message.content))
    },
  }
}

const agents = (useResponses: boolean): Model => {
  const modelProvider = new OpenAIProvider({ openAIClient: new OpenAI({ apiKey, baseURL, fetch }), useResponses })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const agent = (more: object = {}) => new Agent({ name: 'Desk', instructions: INSTRUCTION, model: 'scripted', ...more })
  return {
    send: async (prompt, { stream, reviewItem: review_item_id }) => {
      const desk = agent({ modelSettings: { providerData: { governance: review_item_id && { review_item_id } } } })
      const result = stream ? await runner.run(desk, prompt, { stream }) : await runner.run(desk, prompt)
      const texts = 'completed' in result ? await Array.fromAsync(result.toTextStream()) : [String(result.finalOutput)]
      if ('completed' in result) await result.completed
      expect(result.finalOutput).toBe(texts.join(''))
      expect(result.runContext.usage).toMatchObject({ inputTokens: 11, outputTokens: 7, totalTokens: 18 })
      return texts
    },
    sendWithTool: async (prompt, stream) => {
      const weather = agentsTool({ ...WEATHER, parameters: City, execute: async (city) => rainIn(city) })
      const withTool = agent({ tools: [weather] })
      const result = stream ? await runner.run(withTool, prompt, { stream }) : await runner.run(withTool, prompt)
      if ('completed' in result) await result.completed
      fixture.expectToolTurn(prompt, `rain in ${CITY}`)
      // The client sends the whole history of this run in the next one.
      await runner.run(withTool, [...result.history, { role: 'user', content: 'And tomorrow?' }])
      expect(fixture.sentFor(prompt)?.messages.at(-1)).toMatchObject({ role: 'user', content: 'And tomorrow?' })
      return String(result.finalOutput)
    },
    parse: async (prompt) => (await runner.run(agent({ outputType: Event }), prompt)).finalOutput,
  }
}

const MODELS: readonly (readonly [string, Model])[] = [
  ...AI_SDK.map(([name, model]) => [name, aiSdk(model)] as const),
  ['LangChain openai (chat)', langchain(langchainOpenai(false))],
  ['LangChain openai (responses)', langchain(langchainOpenai(true))],
  ['LangChain anthropic', langchain(langchainAnthropic)],
  ['LlamaIndex chat', llamaIndex((headers) => new LlamaIndexChat(llamaIndexOptions(headers)))],
  ['LlamaIndex responses', llamaIndex((headers) => new OpenAIResponses(llamaIndexOptions(headers)))],
  ['OpenAI Agents SDK responses', agents(true)],
  ['OpenAI Agents SDK chat completions', agents(false)],
]
/** OpenAIResponses of LlamaIndex calls a streamed tool before its arguments are complete, and ignores `responseFormat`. */
const hasFault = (name: string) => name === 'LlamaIndex responses'

/** The status that a client's exception stands for. */
const statusOf = (error: unknown): unknown =>
  APICallError.isInstance(error) ? error.statusCode : { PermissionDeniedError: 403, ConflictError: 409 }[classOf(error)]
const reviewItemOf = (error: unknown): string => {
  const { responseHeaders, headers } = error as { responseHeaders?: Record<string, string>; headers?: globalThis.Headers }
  return (responseHeaders ?? Object.fromEntries(headers ?? []))['x-gatehouse-review-item'] ?? ''
}

describe.each(MODELS)('%s', (name, { send, sendWithTool, parse }) => {
  test.each([false, true])('text: is returned with the usage, in deltas with stream %s', async (stream) => {
    const key = fixture.promptForText(TEXT)
    const texts = await send(key, { stream })
    expect(texts.join('')).toBe(TEXT)
    expect(texts.length > 1).toBe(stream)
    expect(fixture.sentFor(key)?.messages).toContainEqual({ role: 'system', content: INSTRUCTION })
  })

  test.each(hasFault(name) ? [false] : [false, true])(
    'tool: is called and its result sent in the next turn with stream %s',
    async (stream) => {
      const key = fixture.promptForTool('It rains.')
      expect(await sendWithTool(key, stream)).toBe('It rains.')
      fixture.expectToolTurn(key, `rain in ${CITY}`)
    },
  )

  test.skipIf(hasFault(name))('structured output: is parsed by its schema', async () => {
    const key = fixture.promptForText('{"name":"fair","people":["Ann","Bob"]}')
    expect(await parse(key)).toEqual({ name: 'fair', people: ['Ann', 'Bob'] })
    const format = fixture.sentFor(key)?.response_format
    expect(format).toMatchObject({ type: 'json_schema', json_schema: { schema: { required: ['name', 'people'] } } })
  })

  test.each([false, true])('denial: is an exception with our message and is not retried with stream %s', async (stream) => {
    fixture.statuses.length = 0
    const error = await errorOf(send('juniper-deny', { stream }))
    expect(statusOf(error)).toBe(403)
    expect(error).toMatchObject({ message: expect.stringContaining('policy') })
    expect(JSON.stringify(error)).toContain('POLICY_DENIED')
    expect(fixture.statuses).toEqual([403])
  })

  test('hold: is an exception, is not retried, and the review item releases the result', async () => {
    fixture.statuses.length = 0
    const prompt = `${fixture.promptForText(TEXT)} juniper-hold`
    const error = await errorOf(send(prompt, {}))
    expect(statusOf(error)).toBe(409)
    expect(JSON.stringify(error)).toContain('POLICY_REVIEW_PENDING')
    expect(fixture.statuses).toEqual([409])
    const reviewItem = reviewItemOf(error)
    await fixture.governed.decide(reviewItem, 'approve')
    expect(await send(prompt, { reviewItem })).toEqual([TEXT])
  })
})

test.each(AI_SDK)('%s history: the messages of a result are sent in the next request', async (_name, model) => {
  const user = (content: string) => ({ role: 'user' as const, content })
  const first = await generateText({ model, messages: [user(fixture.promptForText(TEXT))], providerOptions })
  const key = fixture.promptForText('Yes.')
  const messages = [user('What is quick?'), ...first.response.messages, user(key)]
  expect((await generateText({ model, messages, providerOptions })).text).toBe('Yes.')
  const sent = [{ role: 'user' }, { role: 'assistant', content: TEXT }, { role: 'user' }]
  expect(fixture.sentFor(key)?.messages).toMatchObject(sent)
})

test('AI SDK hold: every attempt of the client gets the same review item [GW-RETRY-2]', async () => {
  fixture.statuses.length = 0
  const prompt = `${fixture.promptForText(TEXT)} juniper-hold`
  const error = await errorOf(generateText({ model: openai('scripted'), prompt, maxRetries: 1 }))
  if (!RetryError.isInstance(error)) throw error
  expect(fixture.statuses).toEqual([409, 409])
  const items = error.errors.map(reviewItemOf)
  expect(items).toEqual([expect.stringMatching(/^rev_/), items[0]])
})
