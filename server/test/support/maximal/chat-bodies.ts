import { PNG, SCHEMA, SIGNATURE, TEXT_FILE } from './values.ts'

/** Fields of chat completions that providers of every API can get. */
export const CHAT = {
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
export const MORE_CHAT = {
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

/** Forms of fields that exclude those above. */
export const OTHER_CHAT = {
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
    {
      type: 'custom',
      custom: { name: 'run', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } } },
    },
  ],
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'custom', custom: { name: 'run' } }] } },
}
