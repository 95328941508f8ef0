import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { json, word } from '../support/scripted-provider.ts'
import { MODELS, startThreeUpstreams, type UpstreamModel } from '../support/three-upstreams.ts'
import { ANSWERS, type Answer, NOTHING } from './sessions/agent-provider.ts'

/** Each client API with each provider API. The clients are those from npm. */
const upstreams = await closeAfterAll(startThreeUpstreams())
const settings = { extensions: ['tools', 'content_parts', 'developer_role'] }
const apiKey = (await upstreams.governed.application({ settings })).token

/** Scripts the provider of the model; returns the prompt that causes the answer. */
function script(model: UpstreamModel, answer: Answer): string {
  const key = word()
  upstreams.on(model, key, (response) => json(response, 200, ANSWERS[model](answer)))
  return key
}

const openai = () => new OpenAI({ apiKey, baseURL: `${upstreams.governed.base}/v1`, maxRetries: 0 })
const claude = () => new Anthropic({ apiKey, baseURL: upstreams.governed.base, maxRetries: 0 })
const SCHEMA = { type: 'object' as const, properties: {} }

const fromChat = ({ choices: [choice], usage }: OpenAI.ChatCompletion): Answer => ({
  text: choice?.message.content ?? '',
  thinking: String((choice?.message as { reasoning_content?: string } | undefined)?.reasoning_content ?? ''),
  calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }] : [],
  ),
  cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
})
const fromResponse = ({ output, output_text, usage }: OpenAI.Responses.Response): Answer => ({
  text: output_text,
  thinking: output
    .flatMap((item) => (item.type === 'reasoning' ? [...(item.content ?? []), ...item.summary].map(({ text }) => text) : []))
    .join(''),
  calls: output.flatMap((item) =>
    item.type === 'function_call' ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }] : [],
  ),
  cachedTokens: usage?.input_tokens_details.cached_tokens ?? 0,
})
const fromMessage = ({ content, usage }: Anthropic.Message): Answer => ({
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
type Ask = (model: string, prompt: string, withImage: boolean) => Promise<Answer>
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

const CELLS: Readonly<Record<string, Partial<Answer>>> = {
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

describe.each(MODELS)('provider API of the model %s', (model) => {
  describe.each(Object.entries(CLIENTS))('%s', (_, ask) => {
    test.each(Object.entries(CELLS))('client reads the content of the provider: %s', async (_cell, part) => {
      const answer = { ...NOTHING, ...part }
      expect(await ask(model, script(model, answer), false)).toEqual(answer)
    })

    test('provider reads the content of the client: image', async () => {
      const answer = { ...NOTHING, text: 'A pixel.' }
      const prompt = script(model, answer)
      expect(await ask(model, prompt, true)).toEqual(answer)
      expect(upstreams.callsWith(model, prompt)[0]?.raw).toContain(PNG)
    })
  })
})
