import { mark } from './mutations.ts'

/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF = Buffer.from('%PDF-1.4 one page').toString('base64')
const SIGNATURE = Buffer.from('a signature that only its provider can read, and no other service').toString('base64')
const ephemeral = { type: 'ephemeral' }
const schema = () => ({
  type: 'object',
  properties: {
    city: { type: 'string', description: mark(), enum: [mark(), mark()] },
    days: { type: 'integer', maximum: 9_000_001 },
  },
  required: ['city'],
  additionalProperties: false,
})
const input = () => ({ city: mark('Zürich "old town"'), days: 9_000_002, exact: true, list: [mark(), { note: mark() }] })

const chatTools = () => [
  { type: 'function', function: { name: 'look_up', description: mark(), parameters: schema(), strict: true } },
  { type: 'function', function: { name: 'write', description: mark(), parameters: schema() } },
]

/** As the OpenAI SDK, LangChain and the AI SDK send them. */
const CHAT_BODIES: readonly object[] = [
  {
    model: 'm',
    messages: [
      { role: 'system', content: mark() },
      { role: 'user', content: mark('naïve 狐狸 🦊') },
    ],
    temperature: 0.5000017,
    top_p: 0.5000027,
    max_tokens: 9_000_003,
    user: mark(),
    stream: true,
    stream_options: { include_usage: true },
  },
  {
    model: 'm',
    messages: [
      { role: 'developer', content: [{ type: 'text', text: mark(), cache_control: ephemeral }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: mark() },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'high' } },
          { type: 'file', file: { filename: mark(), file_data: `data:application/pdf;base64,${PDF}` } },
        ],
      },
      {
        role: 'assistant',
        content: mark(),
        refusal: null,
        reasoning_content: mark(),
        reasoning_details: [{ type: 'reasoning.text', text: mark(), signature: SIGNATURE, format: 'anthropic-claude-v1' }],
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: JSON.stringify(input()) } },
          { id: 'call_2', type: 'function', function: { name: 'write', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: mark() },
      { role: 'tool', tool_call_id: 'call_2', name: 'write', content: [{ type: 'text', text: mark() }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: mark() },
          { type: 'refusal', refusal: mark() },
        ],
      },
      { role: 'user', name: null, content: mark() },
    ],
    tools: chatTools(),
    tool_choice: { type: 'function', function: { name: 'write' } },
    parallel_tool_calls: false,
    max_completion_tokens: 9_000_004,
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: mark(), description: mark(), schema: schema(), strict: true } },
    service_tier: 'default',
    prompt_cache_key: mark(),
    logprobs: false,
    seed: null,
    stream: false,
  },
  {
    model: 'm',
    messages: [
      { role: 'user', content: mark() },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'shell', input: mark() } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: mark() },
      { role: 'system', content: mark() },
    ],
    tools: [
      {
        type: 'custom',
        custom: {
          name: 'shell',
          description: mark(),
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: mark() } },
        },
      },
      ...chatTools(),
    ],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'write' } }] },
    },
    metadata: { purpose: mark() },
    stop: [mark(), mark()],
    verbosity: 'low',
    logprobs: true,
    top_logprobs: 3,
    governance: { session_id: 'session-7' },
  },
]

/** As Claude Code and the Anthropic SDK send them. */
const MESSAGES_BODIES: readonly object[] = [
  {
    model: 'm',
    max_tokens: 9_000_005,
    system: [
      { type: 'text', text: mark(), cache_control: ephemeral },
      { type: 'text', text: mark() },
    ],
    messages: [
      { role: 'user', content: mark() },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: mark(), signature: SIGNATURE },
          { type: 'text', text: mark() },
          { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: input() },
          { type: 'tool_use', id: 'toolu_2', name: 'write', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: mark(), cache_control: { type: 'ephemeral', ttl: '1h' } },
          { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true, content: [{ type: 'text', text: mark() }] },
          { type: 'text', text: mark() },
        ],
      },
    ],
    tools: [
      { name: 'look_up', description: mark(), input_schema: schema(), strict: true },
      { type: 'custom', name: 'write', description: mark(), input_schema: schema(), cache_control: ephemeral },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    metadata: { user_id: mark() },
    thinking: { type: 'enabled', budget_tokens: 2_048 },
    temperature: 0.5000037,
    stream: true,
  },
  {
    model: 'm',
    max_tokens: 9_000_006,
    system: mark(),
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          { type: 'image', source: { type: 'url', url: `https://pictures.example/${mark()}.png` } },
          { type: 'document', title: mark(), source: { type: 'text', media_type: 'text/plain', data: mark() } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: PDF },
            citations: { enabled: false },
          },
          { type: 'text', text: mark() },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'redacted_thinking', data: SIGNATURE },
          { type: 'text', text: mark() },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: mark() },
          { type: 'text', text: mark(), cache_control: ephemeral },
        ],
      },
    ],
    tools: [{ name: 'look_up', input_schema: schema() }],
    tool_choice: { type: 'tool', name: 'look_up' },
    top_p: 0.5000047,
    top_k: 9_000_007,
    stop_sequences: [mark(), mark()],
    service_tier: 'standard_only',
    output_config: { effort: 'high', format: { type: 'json_schema', schema: schema() } },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    stream: false,
  },
]

/** As Codex, the OpenAI SDK and the Agents SDK send them. */
const RESPONSES_BODIES: readonly object[] = [
  {
    model: 'm',
    instructions: mark(),
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: mark() }] },
      { role: 'user', content: [{ type: 'input_text', text: mark() }] },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: mark() }], encrypted_content: SIGNATURE },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        phase: 'commentary',
        content: [{ type: 'output_text', text: mark(), annotations: [] }],
      },
      { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: JSON.stringify(input()) },
      { type: 'function_call', call_id: 'call_2', name: 'look_up', arguments: '' },
      { type: 'function_call_output', call_id: 'call_1', output: mark() },
      { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: mark() }] },
    ],
    tools: [
      { type: 'function', name: 'look_up', description: mark(), parameters: schema(), strict: false },
      { type: 'function', name: 'write', description: mark(), parameters: schema() },
    ],
    tool_choice: {
      type: 'allowed_tools',
      mode: 'auto',
      tools: [
        { type: 'function', name: 'look_up' },
        { type: 'function', name: 'write' },
      ],
    },
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: mark(),
    client_metadata: { installation: mark() },
    store: false,
    stream: true,
  },
  {
    model: 'm',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: mark() },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'high' },
          { type: 'input_file', filename: mark(), file_data: `data:application/pdf;base64,${PDF}` },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: mark() }] },
      { role: 'user', content: mark() },
    ],
    tools: [{ type: 'function', name: 'look_up', parameters: schema(), strict: true }],
    tool_choice: { type: 'function', name: 'look_up' },
    text: { format: { type: 'json_schema', name: mark(), schema: schema(), strict: true } },
    max_output_tokens: 9_000_008,
    temperature: 0.5000057,
    top_p: 0.5000067,
    user: mark(),
    service_tier: 'auto',
    truncation: 'disabled',
    stream: false,
  },
  {
    model: 'm',
    input: [
      { role: 'user', content: mark() },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'shell', input: mark() },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: mark() },
    ],
    tools: [
      { type: 'custom', name: 'shell', description: mark(), format: { type: 'grammar', syntax: 'lark', definition: mark() } },
    ],
    tool_choice: 'required',
    previous_response_id: null,
    metadata: { purpose: mark() },
    text: { verbosity: 'low' },
    max_output_tokens: 9_000_009,
    safety_identifier: mark(),
    top_logprobs: 2,
  },
  { model: 'm', input: mark(), user: mark() },
]

/** Bodies of each client API. */
export const REQUEST_BODIES = {
  'openai-chat': CHAT_BODIES,
  'anthropic-messages': MESSAGES_BODIES,
  'openai-responses': RESPONSES_BODIES,
} as const
export type Api = keyof typeof REQUEST_BODIES
