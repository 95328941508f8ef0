import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../../shared/message.ts'
import { encodeRequest } from './upstream-request.ts'

type Fields = Readonly<Record<string, unknown>>
const HELLO: readonly ChatMessage[] = [{ role: 'user', content: 'Hello' }]
const encode = (messages: readonly ChatMessage[], parameters: Fields = {}) =>
  encodeRequest({ model: 'gpt-up', messages, parameters, stream: false })
function bodyOf(messages: readonly ChatMessage[], parameters: Fields = {}): Fields {
  const encoded = encode(messages, parameters)
  if (!encoded.ok) throw new Error(`not encoded: ${encoded.unsupported.param}`)
  return JSON.parse(encoded.body)
}
const TOOL = { type: 'function', function: { name: 'f' } }
const CHOSEN = { type: 'function', name: 'f' }
const CUSTOM = { type: 'custom', custom: { name: 'c' } }
const CHOSEN_CUSTOM = { type: 'custom', name: 'c' }
const SENT_TOOL = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false }

describe('parameters', () => {
  test('request: stores nothing and has no stream', () =>
    expect(bodyOf(HELLO)).toEqual({ model: 'gpt-up', input: [{ type: 'message', ...HELLO[0] }], store: false, stream: false }))

  test.each<[Fields, Fields]>([
    [{ max_tokens: 50 }, { max_output_tokens: 50 }],
    [{ max_tokens: 50, max_completion_tokens: 40 }, { max_output_tokens: 40 }],
    ...[
      { temperature: 0.5, top_p: 0.9 },
      { metadata: { team: 'a' }, user: 'u', safety_identifier: 's', service_tier: 'flex' },
      { prompt_cache_key: 'k', prompt_cache_retention: '24h' },
    ].map((same): [Fields, Fields] => [same, same]),
    [
      { verbosity: 'low', response_format: { type: 'json_object' } },
      { text: { verbosity: 'low', format: { type: 'json_object' } } },
    ],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } } },
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } } },
    ],
    [{ reasoning_effort: 'none' }, { reasoning: { effort: 'none' } }],
    [{ reasoning_effort: 'low' }, { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] }],
    [
      { reasoning_effort: 'low', reasoning_included: ['summary'] },
      { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
    ],
    [{ reasoning_included: ['encrypted_content'] }, { include: ['reasoning.encrypted_content'] }],
    [
      { logprobs: true, top_logprobs: 2 },
      { top_logprobs: 2, include: ['message.output_text.logprobs'] },
    ],
    [
      { tools: [TOOL], parallel_tool_calls: false },
      { tools: [SENT_TOOL], parallel_tool_calls: false },
    ],
    [
      {
        ...{ n: 1, stop: [], seed: null, logit_bias: {}, presence_penalty: 0, store: false },
        ...{ logprobs: false, top_logprobs: 0, modalities: ['text'] },
      },
      {},
    ],
    [{ stream_options: { include_usage: true }, cache_control: { type: 'ephemeral' } }, {}],
  ])('parameters: %j become %j', (parameters, expected) => {
    const { model, input, store, stream, ...others } = bodyOf(HELLO, parameters)
    expect(others).toEqual(expected)
  })

  test.each<[string, Fields]>([
    ['n', { n: 2 }],
    ['seed', { seed: 7 }],
    ['stop', { stop: 'END' }],
    ['presence_penalty', { presence_penalty: 0.1 }],
    ['frequency_penalty', { frequency_penalty: 1 }],
    ['logit_bias', { logit_bias: { 7: 1 } }],
    ['prediction', { prediction: { type: 'content', content: 'x' } }],
    ['store', { store: true }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['top_logprobs', { top_logprobs: 2 }],
    ['top_k', { top_k: 40 }],
    ['thinking', { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
    ['constructor', JSON.parse('{"constructor":1}')],
    ['response_format.type', { response_format: { type: 'grammar' } }],
    ['response_format.json_schema.more', { response_format: { type: 'json_schema', json_schema: { schema: {}, more: 1 } } }],
  ])('parameters: %s has no equivalent in %j', (param, parameters) =>
    expect(encode(HELLO, parameters)).toMatchObject({ ok: false, unsupported: { param } }),
  )
})

describe('tools', () => {
  const GRAMMAR = { syntax: 'lark', definition: 'x' }
  test.each<[string, Fields, Fields?]>([
    ['function', { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true }],
    ['function', { name: 'f' }, SENT_TOOL],
    ['custom', { name: 'c', description: 'd' }],
    ['custom', { name: 'c', format: { type: 'grammar', grammar: GRAMMAR } }, { format: { type: 'grammar', ...GRAMMAR } }],
    ['custom', { name: 'c', format: { type: 'text' } }],
  ])('tools: the fields of a %s %j become %j', (type, { name, ...fields }, expected = fields) =>
    expect(bodyOf(HELLO, { tools: [{ type, [type]: { name, ...fields } }] }).tools).toEqual([{ type, name, ...expected }]),
  )

  test.each<[unknown, unknown]>([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [TOOL, CHOSEN],
    [CUSTOM, CHOSEN_CUSTOM],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [TOOL, CUSTOM] } },
      { type: 'allowed_tools', mode: 'required', tools: [CHOSEN, CHOSEN_CUSTOM] },
    ],
  ])('tool_choice: %j becomes %j', (choice, expected) =>
    expect(bodyOf(HELLO, { tools: [TOOL], tool_choice: choice }).tool_choice).toEqual(expected),
  )

  test.each<[string, Fields]>([
    ['tools[0].type', { tools: [{ type: 'web_search' }] }],
    ['tools[0].function.cached', { tools: [{ type: 'function', function: { name: 'f', cached: true } }] }],
    ['tools[0].custom.format.type', { tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'regex' } } }] }],
    ['tool_choice', { tool_choice: 'always' }],
    ['tool_choice.type', { tool_choice: { type: 'web_search' } }],
    ['tool_choice.type', { tool_choice: { type: 'function', function: { name: { toString: 1 } } } }],
    ['tool_choice.allowed_tools', { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto' } } }],
    ['tool_choice.allowed_tools.tools[0].type', { tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [7] } } }],
  ])('tools: %s has no equivalent in %j', (param, parameters) =>
    expect(encode(HELLO, parameters)).toMatchObject({ ok: false, unsupported: { param } }),
  )
})
