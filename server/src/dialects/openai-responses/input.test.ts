import { describe, expect, test } from 'vitest'
import { chatOf, problemOf } from '../../../test/support/responses-request.ts'

type Body = Readonly<Record<string, unknown>>
const USER = { role: 'user', content: 'x' }

const messagesOf = (input: unknown, more: Body = {}): unknown => chatOf({ input, ...more }).messages
const userSays = (...content: readonly object[]) => [{ role: 'user', content }]
const TOOL = { type: 'function', name: 'b' }
const CALL = { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{}' }
const SUMMARY = { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }] }
const CACHED = { prompt_cache_breakpoint: { mode: 'explicit' } }
const SECOND = { ...CALL, call_id: 'c2' }
const said = (content: unknown, more: Body = {}) => ({ role: 'assistant', content, ...more })
const calls = (...tool_calls: object[]) => ({ role: 'assistant', tool_calls })
const RESULT = { role: 'tool', tool_call_id: 'c1', content: 'r' }
const CHAT_SUMMARY = { type: 'reasoning.summary', summary: 's' }
const CHAT_CALL = { id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{}' } }
const CHAT_SECOND = { ...CHAT_CALL, id: 'c2' }

describe('decodeRequest: input', () => {
  test.each<[string, unknown, unknown]>([
    ['a text', 'hello', [{ role: 'user', content: 'hello' }]],
    ['a message without a type', [USER], [USER]],
    [
      'roles',
      ['system', 'developer', 'assistant'].map((role) => ({ type: 'message', role, content: 'a' })),
      ['system', 'developer', 'assistant'].map((role) => ({ role, content: 'a' })),
    ],
    ['one text part', [{ role: 'user', content: [{ type: 'input_text', text: 'a' }] }], [{ role: 'user', content: 'a' }]],
    [
      'several parts',
      userSays(
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low', file_id: null },
        { type: 'input_file', file_data: 'data:text/plain;base64,YQ==', filename: 'a.txt' },
      ),
      userSays(
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
        { type: 'file', file: { file_data: 'data:text/plain;base64,YQ==', filename: 'a.txt' } },
      ),
    ],
    [
      'a cached text part',
      userSays({ type: 'input_text', text: 'a', ...CACHED }),
      userSays({ type: 'text', text: 'a', ...CACHED }),
    ],
    ['a refusal', [said([{ type: 'refusal', refusal: 'no' }])], [said(null, { refusal: 'no' })]],
    ['calls in a row', [CALL, SECOND], [calls(CHAT_CALL, CHAT_SECOND)]],
    ['a text before a call', [said('a'), CALL], [said('a', { tool_calls: [CHAT_CALL] })]],
    [
      'calls of two turns',
      [CALL, { type: 'function_call_output', call_id: 'c1', output: 'r' }, SECOND],
      [calls(CHAT_CALL), RESULT, calls(CHAT_SECOND)],
    ],
    [
      'a custom call',
      [
        { type: 'custom_tool_call', call_id: 'c1', name: 'run', input: 'a' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'r' }] },
      ],
      [calls({ id: 'c1', type: 'custom', custom: { name: 'run', input: 'a' } }), RESULT],
    ],
    [
      'reasoning before a text',
      [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'e' },
        { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 't' }], signature: 'g' },
        said('a'),
      ],
      [
        said('a', {
          reasoning_details: [
            { type: 'reasoning.summary', summary: 's', id: 'rs_1' },
            { type: 'reasoning.encrypted', data: 'e', id: 'rs_1' },
            { type: 'reasoning.text', text: 't', id: 'rs_2', signature: 'g' },
          ],
        }),
      ],
    ],
    [
      'reasoning between calls',
      [CALL, SUMMARY, SECOND],
      [{ ...calls(CHAT_CALL, CHAT_SECOND), reasoning_details: [{ ...CHAT_SUMMARY, call_index: 1 }] }],
    ],
    ['a phase', [said('a', { phase: 'commentary' })], [said('a', { phase: 'commentary' })]],
    [
      'reasoning after a text',
      [said('a'), SUMMARY, CALL],
      [said('a'), { ...calls(CHAT_CALL), reasoning_details: [CHAT_SUMMARY] }],
    ],
    ['reasoning that says nothing', [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null }, USER], [USER]],
  ])('%s becomes messages [GW-RESP-3, GW-RESP-4, GW-RESP-7]', (_, input, messages) => expect(messagesOf(input)).toEqual(messages))
  test('instructions: become the first message, a system message [GW-RESP-2]', () =>
    expect(messagesOf('x', { instructions: 'Be brief.' })).toEqual([{ role: 'system', content: 'Be brief.' }, USER]))
})

describe('decodeRequest: refused by name', () => {
  const item = (fields: Body) => ({ input: [USER, fields] })
  const part = (fields: Body) => item({ role: 'user', content: [{ type: 'input_text', text: 'a' }, fields] })
  const tool = (...tools: Body[]) => ({ input: 'x', tools })

  test.each<[string, Body]>([
    ['input', {}],
    ['input', { input: [] }],
    ['input', { input: 7 }],
    ['input[0]', { input: ['x'] }],
    ['store', { input: 'x', store: 'yes' }],
    ['previous_response_id', { input: 'x', previous_response_id: 7 }],
    ['previous_response_id', { input: 'x', previous_response_id: '' }],
    ['conversation', { input: 'x', conversation: { id: 'conv_1' } }],
    ['prompt', { input: 'x', prompt: { id: 'pmpt_1' } }],
    ['background', { input: 'x', background: true }],
    ['truncation', { input: 'x', truncation: 'auto' }],
    ['context_management', { input: 'x', context_management: [{ type: 'compaction' }] }],
    ['moderation', { input: 'x', moderation: { mode: 'strict' } }],
    ['messages', { input: 'x', messages: [USER] }],
    ['n', { input: 'x', n: 2 }],
    ['extra_body', { input: 'x', extra_body: { models: ['a'] } }],
    ['instructions', { input: 'x', instructions: [USER] }],
    ['include[1]', { input: 'x', include: ['reasoning.encrypted_content', 'web_search_call.results'] }],
    ['stream_options.include_obfuscation', { input: 'x', stream_options: { include_obfuscation: true } }],
    ['stream_options.include_usage', { input: 'x', stream_options: { include_usage: true } }],
    ['reasoning.summary', { input: 'x', reasoning: { summary: 'long' } }],
    ['reasoning.mode', { input: 'x', reasoning: { mode: 'pro' } }],
    ['reasoning.budget', { input: 'x', reasoning: { budget: 1 } }],
    ['text.format.type', { input: 'x', text: { format: { type: 'grammar' } } }],
    ['text.format.other', { input: 'x', text: { format: { type: 'text', other: 1 } } }],
    ['text.style', { input: 'x', text: { style: 'terse' } }],
    ['top_logprobs', { input: 'x', top_logprobs: 'many' }],
    ['input[1].type', item({ type: 'item_reference', id: 'msg_1' })],
    ['input[1].type', item({ type: 'web_search_call', id: 'ws_1', status: 'completed' })],
    ['input[1].type', item({ type: 'computer_call_output', call_id: 'c', output: {} })],
    ['input[1].type', item({ type: 'compaction', encrypted_content: 'x' })],
    ['input[1].type', item({ id: 'msg_1' })],
    ['input[1].role', item({ role: 'tool', content: 'x' })],
    ['input[1].phase', item({ role: 'user', content: 'x', phase: 'commentary' })],
    ['input[1].name', item({ role: 'user', content: 'x', name: 'Ann' })],
    ['input[1].content', item({ role: 'user' })],
    ['input[1].content[1].type', part({ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } })],
    ['input[1].content[1].type', part({ type: 'text', text: 'x' })],
    ['input[1].content[1].file_id', part({ type: 'input_image', file_id: 'file_1', detail: 'auto' })],
    ['input[1].content[1].image_url', part({ type: 'input_image', detail: 'auto' })],
    ['input[1].content[1].file_id', part({ type: 'input_file', file_id: 'file_1' })],
    ['input[1].content[1].file_url', part({ type: 'input_file', file_url: 'https://a.example/a.pdf' })],
    ['input[1].content[1].file_data', part({ type: 'input_file', filename: 'a.pdf' })],
    ['input[1].content[1].detail', part({ type: 'input_file', file_data: 'x', detail: 'high' })],
    ['input[1].content[1].annotations[0].type', part({ type: 'output_text', text: 'x', annotations: [{ type: 'file_path' }] })],
    ['input[1].role', item({ type: 'additional_tools', role: 'user', tools: [] })],
    ['input[1].tools[0].type', item({ type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] })],
    ['input[1].execution', item({ type: 'tool_search_call', call_id: 'c', execution: 'server', arguments: {} })],
    ['input[1].async', item({ ...CALL, async: true })],
    ['input[1].call_id', item({ type: 'function_call', name: 'a', arguments: '{}' })],
    ['input[1].output', item({ type: 'function_call_output', call_id: 'c' })],
    ['input[1].output[0].type', item({ type: 'function_call_output', call_id: 'c', output: [{ type: 'output_audio' }] })],
    ['input[1].summary[0].type', item({ type: 'reasoning', summary: [{ type: 'other', text: 'x' }] })],
    ['input[1].other', item({ type: 'reasoning', summary: [], other: 'x' })],
    ['tools', { input: 'x', tools: {} }],
    ...['web_search', 'file_search', 'computer', 'mcp', 'code_interpreter', 'image_generation', 'local_shell'].map(
      (type): [string, Body] => ['tools[0].type', tool({ type })],
    ),
    ['tools[0].function', tool({ type: 'function', name: 'a', function: { name: 'b' } })],
    ['tools[0].name', tool({ type: 'function' })],
    ['tools[0].tools', tool({ type: 'namespace', name: 'a', tools: [] })],
    ['tools[0].tools[0].type', tool({ type: 'namespace', name: 'a', tools: [{ type: 'mcp' }] })],
    ['tools[0].tools[0].defer_loading', tool({ type: 'namespace', name: 'a', tools: [{ ...TOOL, defer_loading: true }] })],
    ['tools[0].tools[1].name', tool({ type: 'namespace', name: 'a', tools: [TOOL, { ...TOOL, strict: true }] })],
    ['tools[1].tools[0].name', tool({ ...TOOL, name: 'a__b' }, { type: 'namespace', name: 'a', tools: [TOOL] })],
    ['tools[0].execution', tool({ type: 'tool_search' })],
    ['tools[0].execution', tool({ type: 'tool_search', execution: 'server' })],
    ['tools[0].defer_loading', tool({ type: 'function', name: 'a', defer_loading: true })],
    ['tools[0].output_schema', tool({ type: 'function', name: 'a', output_schema: {} })],
    ['tools[0].format.type', tool({ type: 'custom', name: 'a', format: { type: 'regex' } })],
    ['tool_choice', { input: 'x', tool_choice: 'any' }],
    ['tool_choice.type', { input: 'x', tool_choice: { type: 'web_search' } }],
    ['tool_choice.tools[0].type', { input: 'x', tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp' }] } }],
  ])('%s [GW-RESP-9]', (param, body) => expect(problemOf(body)).toEqual({ param, message: expect.stringMatching(/^(is|must) /) }))
  test('a body that is no object [GW-RESP-9]', () => expect(problemOf([USER])).toEqual({ param: '', message: 'must be object' }))
})
