import { describe, expect, test } from 'vitest'
import { chatOf, problemOf } from '../../../test/support/responses-request.ts'
import { decodeRequest } from './request.ts'

type Body = Readonly<Record<string, unknown>>
const USER = { role: 'user', content: 'x' }
const CALL = { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{}' }

describe('decodeRequest: settings', () => {
  test.each<[string, Body, Body]>([
    ['max_output_tokens', { max_output_tokens: 5 }, { max_completion_tokens: 5 }],
    ['reasoning', { reasoning: { effort: 'low' } }, { reasoning_effort: 'low' }],
    ['text', { text: { format: { type: 'text' }, verbosity: 'low' } }, { verbosity: 'low' }],
    ['JSON text', { text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
    [
      'JSON by schema',
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } } },
    ],
    ['no tools', { tools: [], tool_choice: 'auto', parallel_tool_calls: true }, {}],
    [
      'data about reasoning',
      { include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } },
      { reasoning_included: ['summary', 'encrypted_content'] },
    ],
    ['logprobs', { include: ['message.output_text.logprobs'] }, { logprobs: true }],
    ['top_logprobs', { top_logprobs: 2 }, { logprobs: true, top_logprobs: 2 }],
    [
      'values that ask for nothing',
      {
        ...{ store: false, background: false, truncation: 'disabled', include: [], max_tool_calls: 3 },
        ...{ stream_options: { include_obfuscation: false }, client_metadata: { installation: 'a' } },
      },
      {},
    ],
  ])('%s: has the form of the chat API [GW-RESP-5, GW-RESP-8]', (_, fields, chat) => {
    const { messages, ...others } = chatOf({ input: 'x', ...fields })
    expect(others).toEqual(chat)
  })
  test.each<[string, unknown, unknown]>([
    ['function', { type: 'function', name: 'a' }, { type: 'function', function: { name: 'a' } }],
    ['custom', { type: 'custom', name: 'a' }, { type: 'custom', custom: { name: 'a' } }],
    [
      'allowed tools',
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] },
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'a' } }] } },
    ],
    ['a word', 'required', 'required'],
  ])('tool_choice: has the form of the chat API when it is %s [GW-RESP-6]', (_, tool_choice, expected) => {
    const tools = [{ type: 'function', name: 'a', parameters: null, strict: null }]
    expect(chatOf({ input: 'x', tools, tool_choice })).toMatchObject({
      tools: [{ type: 'function', function: { name: 'a' } }],
      tool_choice: expected,
    })
  })
  test('null: is absent in every field [GW-RESP-9]', () => {
    const names = `instructions store previous_response_id tools tool_choice text reasoning include truncation
      max_output_tokens stream_options unknown`
    const nulls = Object.fromEntries(names.split(/\s+/).map((name) => [name, null]))
    expect(chatOf({ input: [{ ...USER, id: null, phase: null }], ...nulls })).toEqual({ messages: [USER] })
  })
})

describe('decodeRequest: nothing disappears', () => {
  /** A request with every kind of item; each text is unique. */
  const full = {
    model: 'text-model',
    instructions: 'text-instructions',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'text-a' },
          { type: 'input_image', image_url: 'text-url', detail: 'text-detail' },
          { type: 'input_file', file_data: 'text-data', filename: 'text-filename' },
        ],
      },
      {
        type: 'reasoning',
        id: 'text-id',
        summary: [{ type: 'summary_text', text: 'text-summary' }],
        encrypted_content: 'text-encrypted',
      },
      {
        type: 'message',
        role: 'assistant',
        content: [
          {
            type: 'output_text',
            text: 'text-b',
            annotations: [{ type: 'url_citation', url: 'text-link', title: 'text-title', start_index: 0, end_index: 1 }],
          },
          { type: 'refusal', refusal: 'text-refusal' },
        ],
      },
      {
        ...{ type: 'function_call', call_id: 'text-call', name: 'text-name', arguments: 'text-arguments' },
        extra_content: { a: 'text-extra' },
      },
      { type: 'custom_tool_call', call_id: 'text-custom', name: 'text-custom-name', input: 'text-input' },
      { type: 'function_call_output', call_id: 'text-call', name: 'text-output-name', output: 'text-output' },
      { type: 'custom_tool_call_output', call_id: 'text-custom', output: [{ type: 'input_text', text: 'text-c' }] },
    ],
    tools: [
      {
        ...{ type: 'function', name: 'text-tool', description: 'text-description', strict: false },
        parameters: { a: 'text-parameter' },
      },
      {
        ...{ type: 'custom', name: 'text-custom-tool' },
        format: { type: 'grammar', syntax: 'text-syntax', definition: 'text-definition' },
      },
    ],
    tool_choice: { type: 'function', name: 'text-choice' },
    text: { format: { type: 'json_schema', name: 'text-schema', schema: { a: 'text-field' } }, verbosity: 'text-verbosity' },
    reasoning: { effort: 'text-effort' },
    metadata: { a: 'text-metadata' },
    user: 'text-user',
    service_tier: 'text-tier',
    safety_identifier: 'text-safety',
    prompt_cache_key: 'text-key',
    governance: { session_id: 'text-session' },
  }
  const textsOf = (value: unknown): string[] => [...new Set(JSON.stringify(value).match(/"text-[^"]*"/g))].sort()

  test('every text of a request is in the chat [GW-RESP-9]', () => expect(textsOf(chatOf(full))).toEqual(textsOf(full)))

  /** Paths of all objects whose fields the API defines. */
  const OPEN = /(parameters|schema|metadata|extra_content|governance)$/
  function objectsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
    if (typeof value !== 'object' || value === null || OPEN.test(path.at(-1) ?? '')) return []
    const inner = Object.entries(value).flatMap(([name, field]) => objectsIn(field, [...path, name]))
    return Array.isArray(value) ? inner : [path, ...inner]
  }
  test.each(objectsIn(full).map((path) => [path.join('.'), path] as const))(
    'an unknown field is refused by name when it is in "%s" [GW-RESP-9]',
    (_, path) => {
      const body: Record<string, unknown> = structuredClone(full)
      let owner = body
      for (const name of path) owner = owner[name] as Record<string, unknown>
      owner.unknown_field = 'lost'
      const param = path.reduce((at, name) => (/^\d+$/.test(name) ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`), '')
      expect(problemOf(body)?.param).toBe(param === '' ? 'unknown_field' : `${param}.unknown_field`)
    },
  )
})

describe('fieldOf', () => {
  const body = {
    instructions: 'a',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'a' },
          { type: 'input_image', image_url: 'u' },
          { type: 'input_file', file_data: 'd' },
        ],
      },
      { role: 'assistant', content: 'a' },
      CALL,
      { type: 'function_call_output', call_id: 'c1', output: 'r' },
    ],
    tools: [{ type: 'function', name: 'a' }],
    tool_choice: { type: 'function', name: 'a' },
    text: { format: { type: 'json_object' }, verbosity: 'low' },
    reasoning: { effort: 'low' },
    max_output_tokens: 5,
  }
  test.each([
    ['messages', 'input'],
    ['messages[0].content', 'instructions'],
    ['messages[1].role', 'input[0].role'],
    ['messages[1].content', 'input[0].content'],
    ['messages[1].content[0].text', 'input[0].content[0].text'],
    ['messages[1].content[1].image_url.url', 'input[0].content[1].image_url'],
    ['messages[1].content[2].file.file_data', 'input[0].content[2].file_data'],
    ['messages[2].content', 'input[1].content'],
    ['messages[2].tool_calls', 'input[2].type'],
    ['messages[2].tool_calls[0].id', 'input[2].call_id'],
    ['messages[2].tool_calls[0].function.arguments', 'input[2].arguments'],
    ['messages[3].role', 'input[3].type'],
    ['messages[3].content', 'input[3].output'],
    ['messages[3].tool_call_id', 'input[3].call_id'],
    ['tools[0].function.name', 'tools[0].name'],
    ['tool_choice.function.name', 'tool_choice.name'],
    ['response_format.type', 'text.format.type'],
    ['verbosity', 'text.verbosity'],
    ['reasoning_effort', 'reasoning.effort'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['governance.session_id', 'governance.session_id'],
  ])('%s is %s [GW-RESP-9]', (param, field) => {
    const decoded = decodeRequest(body)
    expect(decoded.ok && decoded.fieldOf(param)).toBe(field)
  })
})
