import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { saysBlocks } from '../support/scripted-anthropic.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { callItem, messageItem, responseObject } from '../support/scripted-responses.ts'
import { startThreeUpstreams } from '../support/three-upstreams.ts'

/** Each client API with each provider API. The clients are those from npm. */
const upstreams = await closeAfterAll(startThreeUpstreams())
const settings = { extensions: ['tools', 'content_parts', 'developer_role'] }
const apiKey = (await upstreams.governed.application({ settings })).token

/** The content of a completion, as a provider sends it and as a client reads it. */
interface Said {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: object }[]
  readonly cachedTokens: number
}
const NOTHING: Said = { text: '', thinking: '', calls: [], cachedTokens: 0 }
const SIGNATURE = Buffer.from('a signature that only its provider can read, and no other service').toString('base64')

/** Scripts the provider; returns the prompt that causes the completion. */
const UPSTREAMS: Readonly<Record<string, (said: Said) => string>> = {
  scripted: ({ text, thinking, calls, cachedTokens }) => {
    const key = word()
    const toolCalls = calls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }))
    const message = {
      role: 'assistant',
      content: text || null,
      ...(thinking && { reasoning_content: thinking }),
      ...(calls.length > 0 && { tool_calls: toolCalls }),
    }
    const { choices: _, ...head } = completion('')
    const usage = {
      prompt_tokens: 50,
      completion_tokens: 7,
      total_tokens: 57,
      prompt_tokens_details: { cached_tokens: cachedTokens },
    }
    const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }]
    upstreams.governed.provider.on(key, (response) => json(response, 200, { ...head, choices, usage }))
    return key
  },
  claude: ({ text, thinking, calls, cachedTokens }) => {
    const key = word()
    const blocks = [
      ...(thinking ? [{ type: 'thinking', thinking, signature: SIGNATURE }] : []),
      ...(text ? [{ type: 'text', text }] : []),
      ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ]
    const usage = { input_tokens: 50 - cachedTokens, cache_read_input_tokens: cachedTokens, output_tokens: 7 }
    upstreams.anthropic.on(key, saysBlocks(blocks, { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', usage }))
    return key
  },
  gpt: ({ text, thinking, calls, cachedTokens }) => {
    const key = word()
    const summary = [{ type: 'summary_text', text: thinking }]
    const output = [
      ...(thinking ? [{ id: 'rs_1', type: 'reasoning', summary, encrypted_content: SIGNATURE }] : []),
      ...(text ? [messageItem(text)] : []),
      ...calls.map(({ id, name, input }) => callItem(id, name, input)),
    ]
    const usage = {
      input_tokens: 50,
      input_tokens_details: { cached_tokens: cachedTokens },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 57,
    }
    upstreams.responses.on(key, (response) => json(response, 200, responseObject(output, { usage })))
    return key
  },
}

const openai = () => new OpenAI({ apiKey, baseURL: `${upstreams.governed.base}/v1`, maxRetries: 0 })
const claude = () => new Anthropic({ apiKey, baseURL: upstreams.governed.base, maxRetries: 0 })
const SCHEMA = { type: 'object' as const, properties: {} }

const fromChat = ({ choices: [choice], usage }: OpenAI.ChatCompletion): Said => ({
  text: choice?.message.content ?? '',
  thinking: String((choice?.message as { reasoning_content?: string } | undefined)?.reasoning_content ?? ''),
  calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }] : [],
  ),
  cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
})
const fromResponse = ({ output, output_text, usage }: OpenAI.Responses.Response): Said => ({
  text: output_text,
  thinking: output
    .flatMap((item) => (item.type === 'reasoning' ? [...(item.content ?? []), ...item.summary].map(({ text }) => text) : []))
    .join(''),
  calls: output.flatMap((item) =>
    item.type === 'function_call' ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }] : [],
  ),
  cachedTokens: usage?.input_tokens_details.cached_tokens ?? 0,
})
const fromMessage = ({ content, usage }: Anthropic.Message): Said => ({
  text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
  calls: content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input as object }] : [],
  ),
  cachedTokens: usage.cache_read_input_tokens ?? 0,
})

/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const DATA_URL = `data:image/png;base64,${PNG}`

const PICTURE = { type: 'base64', media_type: 'image/png', data: PNG } as const
type ChatPart = OpenAI.ChatCompletionContentPart
type InputPart = OpenAI.Responses.ResponseInputContent
type Ask = (model: string, prompt: string, withImage: boolean) => Promise<Said>
const user = <Content>(content: Content) => [{ role: 'user' as const, content }]
const chatBody = (model: string, text: string, withImage: boolean) => ({
  model,
  messages: user(
    withImage
      ? ([
          { type: 'text', text },
          { type: 'image_url', image_url: { url: DATA_URL } },
        ] satisfies ChatPart[])
      : text,
  ),
  tools: [{ type: 'function' as const, function: { name: 'weather', parameters: SCHEMA } }],
})
const responsesBody = (model: string, text: string, withImage: boolean) => ({
  model,
  input: withImage
    ? user([
        { type: 'input_text', text },
        { type: 'input_image', image_url: DATA_URL, detail: 'auto' },
      ] satisfies InputPart[])
    : text,
  tools: [{ type: 'function' as const, name: 'weather', parameters: SCHEMA, strict: false }],
})
const messagesBody = (model: string, text: string, withImage: boolean) => ({
  model,
  max_tokens: 500,
  messages: user(
    withImage
      ? ([
          { type: 'text', text },
          { type: 'image', source: PICTURE },
        ] satisfies Anthropic.ContentBlockParam[])
      : text,
  ),
  tools: [{ name: 'weather', input_schema: SCHEMA }],
})
const CLIENTS: Readonly<Record<string, Ask>> = {
  'chat completions': async (...asked) => fromChat(await openai().chat.completions.create(chatBody(...asked))),
  'chat completions, streamed': async (...asked) =>
    fromChat(
      await openai()
        .chat.completions.stream({ ...chatBody(...asked), stream_options: { include_usage: true } })
        .finalChatCompletion(),
    ),
  responses: async (...asked) => fromResponse(await openai().responses.create(responsesBody(...asked))),
  'responses, streamed': async (...asked) =>
    fromResponse(
      await openai()
        .responses.stream(responsesBody(...asked))
        .finalResponse(),
    ),
  messages: async (...asked) => fromMessage(await claude().messages.create(messagesBody(...asked))),
  'messages, streamed': async (...asked) =>
    fromMessage(
      await claude()
        .messages.stream(messagesBody(...asked))
        .finalMessage(),
    ),
}

const CELLS: Readonly<Record<string, Partial<Said>>> = {
  text: { text: 'The quick brown fox jumps over the lazy dog: naïve 狐狸 🦊.' },
  'a tool call without arguments': { calls: [{ id: 'call_1', name: 'weather', input: {} }] },
  'text and parallel tool calls': {
    text: 'Let me see.',
    calls: [
      { id: 'call_1', name: 'weather', input: { city: 'Bern', days: [1, 2.5] } },
      { id: 'call_2', name: 'weather', input: { city: 'Zürich "old town"' } },
    ],
  },
  thinking: { thinking: 'First this, then that.', text: 'Done.' },
  'cached tokens': { text: 'Cached.', cachedTokens: 40 },
}

/** The bodies that a provider has received. */
const sentTo: Readonly<Record<string, () => readonly { readonly raw: string }[]>> = {
  scripted: () => upstreams.governed.provider.calls,
  claude: () => upstreams.anthropic.calls,
  gpt: () => upstreams.responses.calls,
}

describe.each(Object.entries(UPSTREAMS))('provider API of the model %s', (model, script) => {
  describe.each(Object.entries(CLIENTS))('%s', (_, ask) => {
    test.each(Object.entries(CELLS))('client reads the content of the provider: %s', async (_cell, part) => {
      const said = { ...NOTHING, ...part }
      expect(await ask(model, script(said), false)).toEqual(said)
    })

    test('provider reads the content of the client: image', async () => {
      const said = { ...NOTHING, text: 'A pixel.' }
      const prompt = script(said)
      expect(await ask(model, prompt, true)).toEqual(said)
      const [sent] = sentTo[model]?.().filter(({ raw }) => raw.includes(prompt)) ?? []
      expect(sent?.raw).toContain(PNG)
    })
  })
})
