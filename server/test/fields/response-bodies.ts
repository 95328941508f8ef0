import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { mark } from '../fuzz/codecs/mutations.ts'
import type { Api } from '../fuzz/codecs/request-bodies.ts'

/** Base64, as providers sign. */
const signature = (): string => Buffer.from(`signed for its provider only: ${mark()}`).toString('base64')
const citation = () => ({ url: `https://a.example/${mark()}`, title: mark(), start_index: 0, end_index: 4 })
const input = () => JSON.stringify({ city: mark() })

const COMPLETION = () => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'scripted',
  system_fingerprint: mark(),
  service_tier: mark(),
  x_vendor: { hint: mark() },
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      x_choice: mark(),
      logprobs: { content: [{ token: mark(), logprob: -1, bytes: [1], top_logprobs: [{ token: mark(), logprob: -2 }] }] },
      message: {
        role: 'assistant',
        content: mark(),
        refusal: mark(),
        reasoning_content: mark(),
        reasoning_details: [{ type: 'reasoning.encrypted', data: signature(), format: 'other-v1' }],
        annotations: [
          { type: 'url_citation', url_citation: citation() },
          { type: 'file_citation', file: mark() },
        ],
        x_message: mark(),
        tool_calls: [
          { id: mark(), type: 'function', function: { name: mark(), arguments: input(), x_called: mark() }, x_call: mark() },
          { id: mark(), type: 'function', function: { name: mark(), arguments: input() }, extra_content: { google: mark() } },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, x_usage: mark() },
})

const message = (content: readonly object[], more: object) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content,
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 7, service_tier: mark(), inference_geo: mark() },
  context_management: { applied_edits: [{ type: mark() }] },
  x_vendor: mark(),
  ...more,
})

const RESPONSE = () => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  model: 'scripted',
  service_tier: mark(),
  x_vendor: mark(),
  output: [
    {
      id: mark(),
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: mark() }],
      content: [{ type: 'reasoning_text', text: mark() }],
      encrypted_content: signature(),
    },
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      phase: mark(),
      content: [
        {
          type: 'output_text',
          text: mark(),
          annotations: [
            { type: 'url_citation', ...citation() },
            { type: 'file_citation', file_id: mark(), filename: mark(), index: 0 },
          ],
          logprobs: [{ token: mark(), logprob: -1, bytes: [1], top_logprobs: [{ token: mark(), logprob: -2 }] }],
        },
        { type: 'refusal', refusal: mark() },
      ],
    },
    { id: 'fc_1', type: 'function_call', status: 'completed', call_id: mark(), name: mark(), arguments: input(), x_call: mark() },
    { id: 'ct_1', type: 'custom_tool_call', status: 'completed', call_id: mark(), name: mark(), input: mark() },
  ],
  usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18, x_usage: mark() },
})

/** Responses of providers of each API with texts of their own in every field that an accepted response may have. */
export const FULL_RESPONSES: Readonly<Record<Api, readonly Fields[]>> = {
  'openai-chat': [COMPLETION()],
  'anthropic-messages': [
    message(
      [
        { type: 'thinking', thinking: mark(), signature: signature() },
        { type: 'redacted_thinking', data: signature() },
        { type: 'text', text: mark() },
        { type: 'tool_use', id: mark(), name: mark(), input: { city: mark() } },
      ],
      { stop_reason: 'tool_use' },
    ),
    message([{ type: 'text', text: mark() }], { stop_reason: 'stop_sequence', stop_sequence: mark() }),
    message([], { stop_reason: 'refusal', stop_details: { type: 'refusal', category: mark(), explanation: mark() } }),
  ],
  'openai-responses': [RESPONSE()],
}
