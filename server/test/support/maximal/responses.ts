import { anthropicMessage } from '../scripted-anthropic.ts'
import { completion } from '../scripted-provider.ts'
import { responseObject } from '../scripted-responses.ts'
import { SIGNATURE } from './values.ts'

const CITATION = { start_index: 0, end_index: 4, url: 'https://example.org', title: 'Example' }

const message = {
  role: 'assistant',
  content: 'Good morning',
  refusal: 'I would rather not.',
  reasoning_content: 'A greeting?',
  reasoning_details: [
    { type: 'reasoning.text', text: 'A greeting?', signature: SIGNATURE, format: 'anthropic-claude-v1', index: 0 },
    { type: 'reasoning.encrypted', data: SIGNATURE, id: 'rs_1', index: 1 },
  ],
  annotations: [{ type: 'url_citation', url_citation: CITATION }],
  tool_calls: [
    {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'look_up', arguments: '{"city":"Bern"}' },
      extra_content: { google: { thought_signature: SIGNATURE } },
    },
  ],
}

/** For each model: a response of its provider with as many fields as possible. */
export const MAXIMAL_RESPONSES = {
  scripted: completion('', {
    choices: [
      {
        index: 0,
        message,
        logprobs: {
          content: [{ token: 'Good morning', logprob: -1, bytes: [1], top_logprobs: [{ token: 'Good', logprob: -2 }] }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
    system_fingerprint: 'fp_44709d6fcb',
    service_tier: 'default',
    x_vendor: { hint: 'x' },
  }),
  claude: anthropicMessage(
    [
      { type: 'thinking', thinking: 'A greeting?', signature: SIGNATURE },
      { type: 'redacted_thinking', data: SIGNATURE },
      { type: 'text', text: 'Good morning', citations: null },
      { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: { city: 'Bern' }, caller: { type: 'direct' } },
    ],
    {
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 11,
        output_tokens: 7,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 2,
        cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 1 },
        server_tool_use: null,
        service_tier: 'standard',
      },
    },
  ),
  gpt: responseObject(
    [
      {
        id: 'rs_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'A greeting?' }],
        content: [{ type: 'reasoning_text', text: 'Hm.' }],
        encrypted_content: SIGNATURE,
      },
      {
        id: 'msg_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        phase: 'final_answer',
        content: [
          {
            type: 'output_text',
            text: 'Good morning',
            annotations: [{ type: 'url_citation', ...CITATION }],
            logprobs: [{ token: 'Good morning', logprob: -1, bytes: [1], top_logprobs: [{ token: 'Good', logprob: -2 }] }],
          },
          { type: 'refusal', refusal: 'I would rather not.' },
        ],
      },
      {
        id: 'fc_1',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: 'look_up',
        arguments: '{"city":"Bern"}',
      },
      { id: 'ct_1', type: 'custom_tool_call', status: 'completed', call_id: 'call_2', name: 'run', input: 'print(1)' },
    ],
    { metadata: { topic: 'weather' }, instructions: 'Be brief.' },
  ),
} as const
