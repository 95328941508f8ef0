import { PNG, SCHEMA, SIGNATURE, TEXT_FILE } from './values.ts'

export const RESPONSES = {
  instructions: 'Be brief.',
  max_output_tokens: 100,
  temperature: 1,
  top_p: 1,
  user: 'reader',
  store: false,
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  text: { format: { type: 'json_schema', name: 'place', description: 'A place.', schema: SCHEMA, strict: true } },
  client_metadata: { version: '1' },
  max_tool_calls: 3,
  truncation: 'disabled',
  tools: [{ type: 'function', name: 'look_up', description: 'Looks up.', parameters: SCHEMA, strict: true }],
  tool_choice: { type: 'function', name: 'look_up' },
  parallel_tool_calls: true,
  input: [
    { role: 'developer', content: 'Be kind.' },
    { type: 'message', id: 'msg_1', status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'Good morning' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look it up.', annotations: [] }] },
    { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{"city":"Bern"}', caller: { type: 'direct' } },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'Sunny' }] },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'And this?' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
        { type: 'input_file', filename: 'note.txt', file_data: `data:text/plain;base64,${TEXT_FILE}` },
      ],
    },
  ],
}

export const MORE_RESPONSES = {
  scripted: {},
  claude: {},
  gpt: {
    metadata: { topic: 'weather' },
    service_tier: 'auto',
    prompt_cache_key: 'desk',
    prompt_cache_retention: '24h',
    safety_identifier: 'reader',
    top_logprobs: 2,
  },
}

/** Forms of fields that exclude those above. */
export const OTHER_RESPONSES = {
  store: false,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  reasoning: { effort: 'low', generate_summary: 'auto', context: 'auto', mode: 'standard' },
  tools: [
    { type: 'custom', name: 'run', description: 'Runs.', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'run' }] },
  input: [
    { role: 'user', content: 'Good morning' },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      content: [{ type: 'reasoning_text', text: 'Hm.' }],
      encrypted_content: SIGNATURE,
    },
    {
      type: 'message',
      role: 'assistant',
      phase: 'final_answer',
      content: [
        {
          type: 'output_text',
          text: 'Hello',
          annotations: [{ type: 'url_citation', start_index: 0, end_index: 4, url: 'https://example.org', title: 'Example' }],
          logprobs: [],
        },
        { type: 'refusal', refusal: 'I would rather not.' },
      ],
    },
    { type: 'custom_tool_call', call_id: 'call_1', name: 'run', input: 'print(1)' },
    { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Sunny' },
    { role: 'user', content: [{ type: 'input_image', image_url: 'https://example.org/a.png', detail: 'low' }] },
  ],
}
