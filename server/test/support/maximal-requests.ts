/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const TEXT_FILE = Buffer.from('A short note.').toString('base64')
const SIGNATURE = Buffer.from('a signature that only its provider can read, and no other service').toString('base64')
const EPHEMERAL = { cache_control: { type: 'ephemeral', ttl: '5m' } }
const SCHEMA = {
  type: 'object',
  description: 'A place.',
  properties: { city: { type: 'string', enum: ['Bern', 'Rome'], default: 'Bern' } },
  required: ['city'],
}

/** Fields of chat completions that providers of every API can get. */
const CHAT = {
  temperature: 1,
  max_tokens: 100,
  top_p: 1,
  user: 'reader',
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'place', description: 'A place.', schema: SCHEMA, strict: true } },
  tools: [{ type: 'function', function: { name: 'look_up', description: 'Looks up.', parameters: SCHEMA, strict: true } }],
  tool_choice: { type: 'function', function: { name: 'look_up' } },
  parallel_tool_calls: true,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'text', text: 'Good morning' }] },
    {
      role: 'assistant',
      content: 'I look it up.',
      reasoning_content: 'A place?',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"city":"Bern","days":[1,2]}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'And this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: 'file', file: { filename: 'note.txt', file_data: `data:text/plain;base64,${TEXT_FILE}` } },
      ],
    },
  ],
}

/** Fields of chat completions that only some providers can get. */
const MORE_CHAT = {
  scripted: {
    stop: ['END'],
    presence_penalty: 0.5,
    frequency_penalty: 0.5,
    seed: 7,
    n: 1,
    logprobs: true,
    top_logprobs: 2,
    logit_bias: { '50256': -100 },
    metadata: { topic: 'weather' },
    store: false,
    verbosity: 'low',
    service_tier: 'auto',
    prompt_cache_key: 'desk',
    prompt_cache_retention: '24h',
    safety_identifier: 'reader',
    prediction: { type: 'content', content: [{ type: 'text', text: 'As before.' }] },
    modalities: ['text'],
    chat_template_kwargs: { style: 'brief' },
    extra_body: { google: { hint: 'brief' } },
    thinking: { type: 'enabled', budget_tokens: 2048 },
    stream_options: { include_usage: true },
  },
  claude: { stop: 'END', top_k: 5, service_tier: 'auto', thinking: { type: 'enabled', budget_tokens: 2048 } },
  gpt: {
    metadata: { topic: 'weather' },
    verbosity: 'low',
    service_tier: 'auto',
    prompt_cache_key: 'desk',
    prompt_cache_retention: '24h',
    safety_identifier: 'reader',
  },
}

const MESSAGES = {
  max_tokens: 3000,
  temperature: 1,
  metadata: { user_id: 'reader' },
  service_tier: 'auto',
  thinking: { type: 'enabled', budget_tokens: 2048, display: 'summarized' },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  system: [{ type: 'text', text: 'Be brief.', ...EPHEMERAL }, { type: 'text', text: 'Be kind.' }],
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
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_3', name: 'look_up', input: {}, extra_content: { hint: 'x' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_3' }] },
  ],
}

const MORE_MESSAGES = {
  scripted: { stop_sequences: ['END'], ...CALL_WITH_STATE },
  claude: { stop_sequences: ['END'], ...CALL_WITH_STATE },
  gpt: {},
}

const RESPONSES = {
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

const MORE_RESPONSES = {
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
const OTHER_CHAT = {
  messages: [
    { role: 'user', name: 'reader', content: 'Good morning' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'refusal', refusal: 'I would rather not.' },
      ],
      refusal: 'I would rather not.',
      annotations: [
        { type: 'url_citation', url_citation: { start_index: 0, end_index: 4, url: 'https://example.org', title: 'Example' } },
      ],
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm.', signature: SIGNATURE, format: 'anthropic-claude-v1', index: 0 },
        { type: 'reasoning.encrypted', data: SIGNATURE, id: 'rs_1' },
      ],
      function_call: { name: 'look_up', arguments: '{"city":"Bern"}' },
      tool_calls: [
        { id: 'call_1', type: 'custom', custom: { name: 'run', input: 'print(1)' }, extra_content: { google: { hint: 'x' } } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'Sunny' }] },
    {
      role: 'user',
      content: [
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
        { type: 'file', file: { file_id: 'file_1' } },
        { type: 'video_url', video_url: { url: 'https://example.org/a.mp4' } },
      ],
    },
  ],
  tools: [
    { type: 'custom', custom: { name: 'run', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } } } },
  ],
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'custom', custom: { name: 'run' } }] } },
}

const OTHER_MESSAGES = {
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
        {
          type: 'document',
          source: { type: 'base64', media_type: 'text/plain', data: TEXT_FILE },
        },
      ],
    },
  ],
}

const OTHER_RESPONSES = {
  store: false,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  reasoning: { effort: 'low', generate_summary: 'auto', context: 'auto', mode: 'standard' },
  tools: [{ type: 'custom', name: 'run', description: 'Runs.', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } }],
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

/** For each API of clients and each model: a path, and a valid body with as many fields as that provider can get. */
export const MAXIMAL_REQUESTS = [
  ...(['scripted', 'claude', 'gpt'] as const).flatMap((model) => [
  { api: 'chat completions', model, path: '/v1/chat/completions', body: { model, ...CHAT, ...MORE_CHAT[model] } },
  { api: 'Messages', model, path: '/v1/messages', body: { model, ...MESSAGES, ...MORE_MESSAGES[model] } },
  { api: 'Responses', model, path: '/v1/responses', body: { model, ...RESPONSES, ...MORE_RESPONSES[model] } },
  ]),
  { api: 'chat completions, other forms,', model: 'scripted', path: '/v1/chat/completions', body: { model: 'scripted', ...OTHER_CHAT } },
  { api: 'Messages, other forms,', model: 'claude', path: '/v1/messages', body: { model: 'claude', ...OTHER_MESSAGES } },
  { api: 'Responses, other forms,', model: 'gpt', path: '/v1/responses', body: { model: 'gpt', ...OTHER_RESPONSES } },
  { api: 'Embeddings', model: 'scripted', path: '/v1/embeddings', body: { model: 'scripted', input: ['Good morning', 'x'], user: 'reader', dimensions: 3, encoding_format: 'float', x_vendor: { hint: 'x' } } },
]
