import { EPHEMERAL, PNG, SCHEMA, SIGNATURE, TEXT_FILE } from './values.ts'

export const MESSAGES = {
  max_tokens: 3000,
  temperature: 1,
  metadata: { user_id: 'reader' },
  service_tier: 'auto',
  thinking: { type: 'enabled', budget_tokens: 2048, display: 'summarized' },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  system: [
    { type: 'text', text: 'Be brief.', ...EPHEMERAL },
    { type: 'text', text: 'Be kind.' },
  ],
  tools: [
    {
      name: 'look_up',
      type: 'custom',
      description: 'Looks up.',
      input_schema: SCHEMA,
      strict: true,
      eager_input_streaming: true,
      defer_loading: false,
      allowed_callers: ['direct'],
      ...EPHEMERAL,
    },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  messages: [
    { role: 'user', content: 'Good morning' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'A place?', signature: SIGNATURE },
        { type: 'redacted_thinking', data: SIGNATURE },
        { type: 'text', text: 'I look it up.', citations: [] },
        { type: 'text', text: 'One moment.', ...EPHEMERAL },
        { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: { city: 'Bern', days: [1, 2] }, caller: { type: 'direct' } },
        { type: 'tool_use', id: 'toolu_2', name: 'look_up', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          is_error: true,
          content: [
            { type: 'text', text: 'No' },
            { type: 'text', text: 'weather' },
          ],
        },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'Sunny', is_error: false },
        { type: 'text', text: 'And this?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
        { type: 'document', title: 'note', source: { type: 'text', media_type: 'text/plain', data: 'A short note.' } },
        {
          type: 'document',
          citations: { enabled: false },
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0AAQID' },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: '' },
        { type: 'text', text: 'Done.' },
        { type: 'text', text: 'Nearly.' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'Thank you' }] },
  ],
}

const CALL_WITH_STATE = {
  messages: [
    ...MESSAGES.messages,
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_3', name: 'look_up', input: {}, extra_content: { hint: 'x' } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_3' }] },
  ],
}

export const MORE_MESSAGES = {
  scripted: { stop_sequences: ['END'], ...CALL_WITH_STATE },
  claude: { stop_sequences: ['END'], ...CALL_WITH_STATE },
  gpt: {},
}

/** Forms of fields that exclude those above. */
export const OTHER_MESSAGES = {
  max_tokens: 3000,
  system: 'Be brief.',
  thinking: { type: 'adaptive' },
  output_format: { type: 'json_schema', schema: SCHEMA },
  tools: [{ name: 'look_up', input_schema: SCHEMA }],
  tool_choice: { type: 'tool', name: 'look_up' },
  messages: [
    { role: 'user', content: 'Good morning' },
    { role: 'assistant', content: 'Hello' },
    { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: '' },
        { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: TEXT_FILE } },
      ],
    },
  ],
}
