import type { Fields } from '../../../src/platform/lib/untrusted-json.ts'
import { mark } from './mutations.ts'
import type { Api } from './request-bodies.ts'

const SIGNATURE = Buffer.from('a signature that only its provider can read, and no other service').toString('base64')
const input = () => ({ city: mark('Zürich "old town"'), list: [mark(), { note: mark() }], days: 7 })

const completion = (message: object, finish_reason = 'stop', more: object = {}): Fields => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'scripted',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, prompt_tokens_details: { cached_tokens: 3 } },
  ...more,
})

const message = (content: readonly object[], stop_reason = 'end_turn', more: object = {}): Fields => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-scripted',
  content,
  stop_reason,
  stop_sequence: null,
  stop_details: null,
  usage: { input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 3, cache_creation_input_tokens: 0 },
  ...more,
})

const response = (output: readonly object[], more: object = {}): Fields => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'scripted',
  output,
  usage: { input_tokens: 11, input_tokens_details: { cached_tokens: 3 }, output_tokens: 7, total_tokens: 18 },
  ...more,
})

const call = (id: string, name: string, args: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})
const said = (...parts: readonly object[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: parts,
})
const text = () => ({ type: 'output_text', text: mark('naïve 狐狸 🦊 '.repeat(5)), annotations: [], logprobs: [] })

/** Complete responses of each provider API. */
export const RESPONSE_BODIES: Readonly<Record<Api, readonly Fields[]>> = {
  'openai-chat': [
    completion({ content: mark('naïve 狐狸 🦊 '.repeat(5)) }),
    completion(
      {
        content: mark(),
        reasoning_content: mark(),
        refusal: null,
        tool_calls: [call('call_1', 'look_up', input()), call('call_2', 'write', {})],
      },
      'tool_calls',
    ),
    completion({ content: null, refusal: mark() }, 'content_filter', { system_fingerprint: 'fp_1', service_tier: 'default' }),
    completion(
      { content: null, tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'shell', input: mark() } }] },
      'tool_calls',
    ),
    completion(
      { content: mark(), reasoning: mark(), reasoning_details: [{ type: 'reasoning.text', text: mark(), signature: SIGNATURE }] },
      'length',
    ),
  ],
  'anthropic-messages': [
    message([{ type: 'text', text: mark('naïve 狐狸 🦊 '.repeat(5)) }]),
    message(
      [
        { type: 'thinking', thinking: mark(), signature: SIGNATURE },
        { type: 'text', text: mark() },
        { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: input() },
        { type: 'redacted_thinking', data: SIGNATURE },
        { type: 'tool_use', id: 'toolu_2', name: 'write', input: {} },
      ],
      'tool_use',
    ),
    message([{ type: 'text', text: mark() }], 'refusal', { stop_details: { type: 'refusal', explanation: mark() } }),
    message([{ type: 'text', text: mark() }], 'stop_sequence', { stop_sequence: 'END' }),
  ],
  'openai-responses': [
    response([said(text())]),
    response([
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: mark() }], encrypted_content: SIGNATURE },
      said(text(), text()),
      {
        id: 'fc_1',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: 'look_up',
        arguments: JSON.stringify(input()),
      },
      { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_2', name: 'shell', input: mark() },
    ]),
    response([said({ type: 'refusal', refusal: mark() })], {
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
    }),
    response([
      said({
        ...text(),
        annotations: [{ type: 'url_citation', url: 'https://example.org', title: mark(), start_index: 0, end_index: 3 }],
      }),
    ]),
  ],
}
