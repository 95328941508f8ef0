import { describe, expect, test } from 'vitest'
import { decodeRequest } from './request.ts'

type Body = Readonly<Record<string, unknown>>
const USER = { role: 'user', content: 'x' }

function chatOf(body: unknown): Body {
  const decoded = decodeRequest(body)
  if (!decoded.ok) throw new Error(`${decoded.problem.param}: ${decoded.problem.message}`)
  return decoded.chat
}
const messagesOf = (input: unknown, more: Body = {}): unknown => chatOf({ input, ...more }).messages
const userSays = (...content: readonly object[]) => [{ role: 'user', content }]
const CALL = { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{}' }
const COMMENT = { role: 'assistant', content: 'a', phase: 'commentary' }
const SUMMARY = { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }] }
const CACHED = { prompt_cache_breakpoint: { mode: 'explicit' } }
const CHAT_CALL = { id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{}' } }

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
      'a text part with a cache breakpoint',
      userSays({ type: 'input_text', text: 'a', ...CACHED }),
      userSays({ type: 'text', text: 'a', ...CACHED }),
    ],
    [
      'a refusal',
      [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }],
      [{ role: 'assistant', content: null, refusal: 'no' }],
    ],
    [
      'calls in a row',
      [CALL, { ...CALL, call_id: 'c2' }],
      [{ role: 'assistant', tool_calls: [CHAT_CALL, { ...CHAT_CALL, id: 'c2' }] }],
    ],
    [
      'a text before a call',
      [{ role: 'assistant', content: 'a' }, CALL],
      [{ role: 'assistant', content: 'a', tool_calls: [CHAT_CALL] }],
    ],
    [
      'calls of two turns',
      [CALL, { type: 'function_call_output', call_id: 'c1', output: 'r' }, { ...CALL, call_id: 'c2' }],
      [
        { role: 'assistant', tool_calls: [CHAT_CALL] },
        { role: 'tool', tool_call_id: 'c1', content: 'r' },
        { role: 'assistant', tool_calls: [{ ...CHAT_CALL, id: 'c2' }] },
      ],
    ],
    [
      'a custom call',
      [
        { type: 'custom_tool_call', call_id: 'c1', name: 'run', input: 'a' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'r' }] },
      ],
      [
        { role: 'assistant', tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'run', input: 'a' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'r' },
      ],
    ],
    [
      'reasoning before a text',
      [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'e' },
        { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 't' }], signature: 'g' },
        { role: 'assistant', content: 'a' },
      ],
      [
        {
          role: 'assistant',
          content: 'a',
          reasoning_details: [
            { type: 'reasoning.summary', summary: 's', id: 'rs_1' },
            { type: 'reasoning.encrypted', data: 'e', id: 'rs_1' },
            { type: 'reasoning.text', text: 't', id: 'rs_2', signature: 'g' },
          ],
        },
      ],
    ],
    [
      'reasoning between calls',
      [CALL, SUMMARY, { ...CALL, call_id: 'c2' }],
      [
        {
          role: 'assistant',
          tool_calls: [CHAT_CALL, { ...CHAT_CALL, id: 'c2' }],
          reasoning_details: [{ type: 'reasoning.summary', summary: 's', call_index: 1 }],
        },
      ],
    ],
    ['a phase', [COMMENT], [COMMENT]],
    [
      'reasoning after a text',
      [{ role: 'assistant', content: 'a' }, SUMMARY, CALL],
      [
        { role: 'assistant', content: 'a' },
        { role: 'assistant', reasoning_details: [{ type: 'reasoning.summary', summary: 's' }], tool_calls: [CHAT_CALL] },
      ],
    ],
    ['reasoning that says nothing', [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null }, USER], [USER]],
  ])('%s becomes messages [GW-RESP-3, GW-RESP-4, GW-RESP-7]', (_, input, messages) => {
    expect(messagesOf(input)).toEqual(messages)
  })
  test('instructions: become the first message, a system message [GW-RESP-2]', () => {
    expect(messagesOf('x', { instructions: 'Be brief.' })).toEqual([{ role: 'system', content: 'Be brief.' }, USER])
  })
})
