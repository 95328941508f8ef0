import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { mark } from '../fuzz/codecs/mutations.ts'
import type { Api } from '../fuzz/codecs/request-bodies.ts'
import { anthropicMessage } from '../support/scripted-anthropic.ts'
import { completion } from '../support/scripted-provider.ts'
import { messageItem, responseObject } from '../support/scripted-responses.ts'

/** Base64, as providers sign. */
const signature = (): string => Buffer.from(`signed for its provider only: ${mark()}`).toString('base64')
const citation = () => ({ url: `https://a.example/${mark()}`, title: mark(), start_index: 0, end_index: 4 })
const input = () => ({ city: mark() })
const logprobs = () => [{ token: mark(), logprob: -1, bytes: [1], top_logprobs: [{ token: mark(), logprob: -2 }] }]
const called = () => ({ name: `look_up_${mark()}`, arguments: JSON.stringify(input()) })

const chat = (message: object, choice: object, more: Fields): Fields =>
  completion('', { choices: [{ index: 0, message: { role: 'assistant', ...message }, ...choice }], ...more })

/** Responses of providers of each API with texts of their own in every field that an accepted response may have. */
export const FULL_RESPONSES = {
  'openai-chat': [
    chat(
      {
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
          { id: mark(), type: 'function', function: { ...called(), x_called: mark() }, x_call: mark() },
          { id: mark(), type: 'function', function: called(), extra_content: { google: mark() } },
        ],
      },
      { finish_reason: 'tool_calls', x_choice: mark(), logprobs: { content: logprobs() } },
      {
        usage: {
          ...{ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, x_usage: mark() },
          ...{ prompt_tokens_details: { cached_tokens: 3 }, completion_tokens_details: { reasoning_tokens: 5 } },
        },
        ...{ system_fingerprint: mark(), service_tier: mark(), x_vendor: { hint: mark() } },
      },
    ),
  ],
  'anthropic-messages': [
    anthropicMessage(
      [
        { type: 'thinking', thinking: mark(), signature: signature() },
        { type: 'redacted_thinking', data: signature() },
        { type: 'text', text: mark(), citations: null },
        { type: 'tool_use', id: mark(), name: `look_up_${mark()}`, input: input(), caller: { type: 'direct' } },
      ],
      {
        stop_reason: 'tool_use',
        usage: {
          ...{ input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
          cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 1 },
          ...{ server_tool_use: null, service_tier: mark(), inference_geo: mark() },
        },
        context_management: { applied_edits: [{ type: mark() }] },
        x_vendor: mark(),
      },
    ),
    anthropicMessage([{ type: 'text', text: mark() }], { stop_reason: 'stop_sequence', stop_sequence: mark() }),
    anthropicMessage([], {
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: mark(), explanation: mark() },
    }),
  ],
  'openai-responses': [
    responseObject(
      [
        {
          ...{ id: mark(), type: 'reasoning', encrypted_content: signature() },
          summary: [{ type: 'summary_text', text: mark() }],
          content: [{ type: 'reasoning_text', text: mark() }],
        },
        {
          ...messageItem(''),
          phase: mark(),
          content: [
            {
              type: 'output_text',
              text: mark(),
              annotations: [
                { type: 'url_citation', ...citation() },
                { type: 'file_citation', file_id: mark(), filename: mark(), index: 0 },
              ],
              logprobs: logprobs(),
            },
            { type: 'refusal', refusal: mark() },
          ],
        },
        { id: 'fc_1', type: 'function_call', status: 'completed', call_id: mark(), ...called(), x_call: mark() },
        { id: 'ct_1', type: 'custom_tool_call', status: 'completed', call_id: mark(), name: mark(), input: mark() },
      ],
      {
        ...{ service_tier: mark(), x_vendor: mark(), metadata: { topic: 'weather' }, instructions: 'Be brief.' },
        usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18, x_usage: mark() },
      },
    ),
  ],
} satisfies Readonly<Record<Api, readonly Fields[]>>
