import { describe, expect, test } from 'vitest'
import { decodeRequest } from './request.ts'

type Body = Readonly<Record<string, unknown>>
const USER = { role: 'user', content: 'x' }

function problemOf(body: unknown) {
  const decoded = decodeRequest(body)
  return decoded.ok ? undefined : decoded.problem
}
const TOOL = { type: 'function', name: 'b' }
const CALL = { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{}' }

describe('decodeRequest: refused by name', () => {
  const item = (fields: Body) => ({ input: [USER, fields] })
  const part = (fields: Body) => item({ role: 'user', content: [{ type: 'input_text', text: 'a' }, fields] })
  const tool = (fields: Body) => ({ input: 'x', tools: [fields] })

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
    [
      'tools[1].tools[0].name',
      {
        input: 'x',
        tools: [
          { ...TOOL, name: 'a__b' },
          { type: 'namespace', name: 'a', tools: [TOOL] },
        ],
      },
    ],
    ['tools[0].execution', tool({ type: 'tool_search' })],
    ['tools[0].execution', tool({ type: 'tool_search', execution: 'server' })],
    ['tools[0].defer_loading', tool({ type: 'function', name: 'a', defer_loading: true })],
    ['tools[0].output_schema', tool({ type: 'function', name: 'a', output_schema: {} })],
    ['tools[0].format.type', tool({ type: 'custom', name: 'a', format: { type: 'regex' } })],
    ['tool_choice', { input: 'x', tool_choice: 'any' }],
    ['tool_choice.type', { input: 'x', tool_choice: { type: 'web_search' } }],
    ['tool_choice.tools[0].type', { input: 'x', tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp' }] } }],
  ])('%s [GW-RESP-9]', (param, body) => {
    expect(problemOf(body)).toEqual({ param, message: expect.stringMatching(/^(is|must) /) })
  })
  test('a body that is no object [GW-RESP-9]', () => {
    expect(problemOf([USER])).toEqual({ param: '', message: 'must be object' })
  })
})
