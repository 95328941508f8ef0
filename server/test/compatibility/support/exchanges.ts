import { completion } from '../../support/scripted-provider.ts'

/** A completion as OpenAI sends it: with the fields that may be null. */
export interface Exchange {
  readonly name: string
  readonly completion: object
  /** Further fields of a chat, and of a responses request. */
  readonly chat?: object
  readonly responses?: object
}

const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: {
    ...{ reasoning_tokens: 3, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  },
}

const HEAD = { model: 'scripted', usage: USAGE, system_fingerprint: 'fp_1', service_tier: 'default' }
const answer = (message: object, more: object = {}) => completion('', { ...HEAD, choices: [choice(0, message, more)] })
const choice = (index: number, message: object, more: object = {}) => ({
  index,
  message: { role: 'assistant', content: null, refusal: null, annotations: [], ...message },
  logprobs: null,
  finish_reason: 'stop',
  ...more,
})

const functionCall = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } })
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
const WEATHER = { name: 'weather', description: 'Weather of a city', parameters: PARAMETERS, strict: true }
const TOOLS = {
  chat: { tools: [{ type: 'function', function: WEATHER }], tool_choice: 'auto', parallel_tool_calls: true },
  responses: { tools: [{ type: 'function', ...WEATHER }], tool_choice: 'auto', parallel_tool_calls: true },
}
const NULLABLE = 'temperature top_p metadata parallel_tool_calls service_tier tools tool_choice top_logprobs user'
const NULLS = Object.fromEntries(NULLABLE.split(' ').map((name) => [name, null]))
const SCHEMA = { name: 'event', strict: true, schema: PARAMETERS }
const LOGPROBS = [{ token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [{ token: 'a', logprob: -0.1, bytes: [97] }] }]
const CITATION = { start_index: 0, end_index: 4, url: 'https://example.org/a', title: 'A' }
const TEXT = 'The quick brown fox jumps over the lazy dog: naïve 狐狸 🦊.'

const SETTINGS = { temperature: 0.5, top_p: 0.9, metadata: { team: 'desk' }, user: 'u1' }

export const EXCHANGES: readonly Exchange[] = [
  { name: 'text', completion: answer({ content: TEXT }) },
  { name: 'text without usage', completion: { ...answer({ content: TEXT }), usage: undefined } },
  {
    name: 'settings',
    completion: answer({ content: TEXT }),
    chat: { ...SETTINGS, max_completion_tokens: 77 },
    responses: {
      ...{
        ...SETTINGS,
        max_output_tokens: 77,
        instructions: 'Be brief.',
        reasoning: { effort: 'low' },
        text: { verbosity: 'low' },
      },
      ...{ service_tier: 'flex', safety_identifier: 's1', prompt_cache_key: 'k1', store: false },
    },
  },
  {
    name: 'settings that are null',
    completion: answer({ content: TEXT }),
    chat: { ...NULLS, max_completion_tokens: null, response_format: null },
    responses: { ...NULLS, instructions: null, max_output_tokens: null, reasoning: null, text: null, truncation: null },
  },
  {
    name: 'tool with a name only',
    completion: answer({ tool_calls: [functionCall('call_1')] }, { finish_reason: 'tool_calls' }),
    chat: { tools: [{ type: 'function', function: { name: 'weather' } }] },
    responses: { tools: [{ type: 'function', name: 'weather' }] },
  },
  { name: 'tool call', completion: answer({ tool_calls: [functionCall('call_1')] }, { finish_reason: 'tool_calls' }), ...TOOLS },
  {
    name: 'text and parallel tool calls',
    completion: answer(
      { content: 'Let me look.', tool_calls: [functionCall('call_1'), functionCall('call_2')] },
      { finish_reason: 'tool_calls' },
    ),
    ...TOOLS,
  },
  {
    name: 'custom tool call',
    completion: answer(
      { tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'run', input: 'print(1)' } }] },
      { finish_reason: 'tool_calls' },
    ),
    chat: { tools: [{ type: 'custom', custom: { name: 'run', description: 'Runs code' } }] },
    responses: { tools: [{ type: 'custom', name: 'run', description: 'Runs code' }], tool_choice: 'required' },
  },
  {
    name: 'structured output',
    completion: answer({ content: '{"city":"Paris"}' }),
    chat: { response_format: { type: 'json_schema', json_schema: SCHEMA } },
    responses: { text: { format: { type: 'json_schema', ...SCHEMA } } },
  },
  { name: 'refusal', completion: answer({ refusal: 'I cannot help with that request.' }) },
  { name: 'cut off', completion: answer({ content: TEXT }, { finish_reason: 'length' }) },
  { name: 'content filter', completion: answer({ content: TEXT }, { finish_reason: 'content_filter' }) },
  {
    name: 'log probabilities',
    completion: answer({ content: 'a' }, { logprobs: { content: LOGPROBS, refusal: null } }),
    chat: { logprobs: true, top_logprobs: 1 },
    responses: { include: ['message.output_text.logprobs'], top_logprobs: 1 },
  },
  {
    name: 'citation',
    completion: answer({ content: TEXT, annotations: [{ type: 'url_citation', url_citation: CITATION }] }),
  },
  { name: 'reasoning text', completion: answer({ content: TEXT, reasoning_content: 'I weigh one against the other.' }) },
  {
    name: 'reasoning summary and encrypted state',
    completion: answer({
      content: TEXT,
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'I compare both.', id: 'rs_a' },
        { type: 'reasoning.encrypted', data: 'b3BhcXVlIHN0YXRlIG9mIHRoZSBwcm92aWRlcg==', id: 'rs_b' },
      ],
    }),
    responses: { include: ['reasoning.encrypted_content'], reasoning: { effort: 'low', summary: 'auto' } },
  },
]

/** A chat may ask for several completions. */
export const TWO_CHOICES: Exchange = {
  name: 'two choices',
  completion: {
    ...answer({}),
    choices: [choice(0, { content: 'one' }), choice(1, { content: 'two' }, { finish_reason: 'length' })],
  },
  chat: { n: 2 },
}
