import { type Behaviour, json, listModels, startScripted } from './scripted-provider.ts'

export const responseObject = (output: readonly object[], more: object = {}) => ({
  id: 'resp_scripted',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  model: 'scripted-2026',
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 18,
  },
  metadata: {},
  ...more,
})

export const messageItem = (text: string, more: object = {}) => ({
  id: 'msg_scripted',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [], ...more }],
})

export const callItem = (call_id: string, name: string, input: object = {}) => ({
  id: `fc_${call_id}`,
  type: 'function_call',
  status: 'completed',
  call_id,
  name,
  arguments: JSON.stringify(input),
})

export const saysItems =
  (output: readonly object[], more: object = {}): Behaviour =>
  (response) =>
    json(response, 200, responseObject(output, more))

/** An error as the API sends it. */
export const responsesError =
  (status: number, error: object): Behaviour =>
  (response) =>
    json(response, status, { error: { message: 'upstream-private-diagnostics', type: 'invalid_request_error', ...error } })

export async function startScriptedResponses() {
  const provider = await startScripted(saysItems([messageItem('Noted.')]), listModels)
  return { ...provider, url: `${provider.url}/v1` }
}
