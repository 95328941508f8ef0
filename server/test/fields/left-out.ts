import type { Api } from '../fuzz/codecs/request-bodies.ts'

/** Fields that a provider does not get although the request is accepted, with the reason. */
export interface LeftOut {
  /** Client APIs; absent: all. */
  readonly from?: Api
  /** Provider APIs; absent: all. */
  readonly to?: readonly Api[]
  /** Of paths without indices, such as `messages[].content[].cache_control`. */
  readonly path: RegExp
  /** The only values that are left out, as JSON; absent: all. */
  readonly value?: RegExp
  readonly reason: string
}

const MESSAGES = ['anthropic-messages'] as const
const RESPONSES = ['openai-responses'] as const
const OPENAI = ['openai-chat', 'openai-responses'] as const
const OTHERS_THAN_RESPONSES = ['openai-chat', 'anthropic-messages'] as const

const DEFAULT = 'The value asks for what the API does without the field.'
const OWN = 'The gateway carries it out itself (GW-FID-1, GW-RESP-17, GW-RESP-18).'
const COST = 'It changes only costs (decisions 0006 and 0024).'
const REASONING = 'Reasoning that another provider has written or signed (decision 0006).'
const STATE =
  'State of a store, or data about earlier texts and the client, that no model needs and no detector reads (GW-RESP-9).'

export const LEFT_OUT: readonly LeftOut[] = [
  { path: /^(?:model|stream|stream_options|store|previous_response_id)$/, reason: OWN },
  { to: [...MESSAGES, ...RESPONSES], path: /^(?:frequency_penalty|presence_penalty)$/, value: /^0$/, reason: DEFAULT },
  { to: [...MESSAGES, ...RESPONSES], path: /^(?:logprobs|top_logprobs)$/, value: /^(?:false|0)$/, reason: DEFAULT },
  { from: 'openai-responses', path: /^top_logprobs$/, value: /^0$/, reason: DEFAULT },
  { to: [...MESSAGES, ...RESPONSES], path: /^n$/, value: /^1$/, reason: DEFAULT },
  { to: [...MESSAGES, ...RESPONSES], path: /^modalities$/, value: /^\["text"\]$/, reason: DEFAULT },
  { to: MESSAGES, path: /^(?:text\.)?verbosity$/, value: /^"medium"$/, reason: DEFAULT },
  { path: /^(?:response_format|text\.format)$/, value: /^\{"type":"text"\}$/, reason: DEFAULT },
  { path: /^tools\[\](?:\.function)?\.strict$/, value: /^false$/, reason: DEFAULT },
  { path: /^tools\[\]\.(?:async|defer_loading)$/, value: /^false$/, reason: DEFAULT },
  { path: /^tools\[\]\.(?:type|allowed_callers)$/, value: /^(?:"custom"|\["direct"\])$/, reason: DEFAULT },
  { path: /\.caller$/, value: /^\{"type":"direct"\}$/, reason: DEFAULT },
  { path: /^parallel_tool_calls$/, value: /^true$/, reason: DEFAULT },
  { path: /^tool_choice\.disable_parallel_tool_use$/, value: /^false$/, reason: DEFAULT },
  { path: /\.is_error$/, value: /^false$/, reason: DEFAULT },
  { path: /\.citations$/, value: /^\{"enabled":false\}$/, reason: DEFAULT },
  { path: /^(?:background|truncation)$/, value: /^(?:false|"disabled")$/, reason: DEFAULT },
  { path: /^context_management$/, value: /^\[\]$|"keep":"all"/, reason: DEFAULT },
  { path: /^reasoning\.(?:context|mode)$/, value: /^"(?:auto|standard)"$/, reason: DEFAULT },
  {
    path: /^reasoning\.context$/,
    value: /^"all_turns"$/,
    reason: 'The gateway passes on the reasoning of all turns that the client sends, if the provider can read it.',
  },
  { path: /^input\[\]\.type$/, value: /^"message"$/, reason: DEFAULT },
  { path: /\.detail$/, value: /^"auto"$/, reason: DEFAULT },
  {
    to: MESSAGES,
    path: /\.detail$/,
    value: /^"high"$/,
    reason: 'The Messages API always reads the full picture (decision 0006).',
  },
  { path: /\bcache_control$/, reason: COST },
  { to: MESSAGES, path: /^prompt_cache_(?:key|retention)$/, reason: COST },
  { path: /\.reasoning(?:_content|_details)?$/, reason: REASONING },
  { to: RESPONSES, path: /^messages\[\]\.content\[\]\.(?:thinking|signature|data)$/, reason: REASONING },
  {
    from: 'openai-responses',
    path: /^input\[\]\.(?:summary|content|encrypted_content|signature|format|id|status)$/,
    reason: REASONING,
  },
  {
    from: 'anthropic-messages',
    to: OPENAI,
    path: /^thinking$/,
    value: /"(?:adaptive|disabled)"/,
    reason:
      'The model decides, as without the field: other APIs have an effort only, which `output_config.effort` sets (GW-ANT-3).',
  },
  {
    to: OTHERS_THAN_RESPONSES,
    path: /^(?:reasoning\.(?:summary|generate_summary)|include)$/,
    reason: 'The form of the reasoning in the response, which other APIs do not let clients choose (GW-RESP-9).',
  },
  { from: 'openai-responses', path: /^client_metadata$|^input\[\]\.(?:id|status)$|\.logprobs$/, reason: STATE },
  {
    to: OTHERS_THAN_RESPONSES,
    path: /^max_tool_calls$/,
    reason: 'It counts only tools that a provider runs, and no request may ask for those (GW-RESP-9).',
  },
  {
    path: /^(?:tool_choice|parallel_tool_calls)$/,
    value: /^(?:"auto"|"none"|true|false)$/,
    reason: 'Without tools it has no effect (GW-RESP-6).',
  },
  { path: /\.eager_input_streaming$/, reason: 'Streams begin after the verdict.' },
  {
    to: MESSAGES,
    path: /\.strict$/,
    reason: 'The Messages API has only formats that are always kept (decision 0006).',
  },
  { to: MESSAGES, path: /\.phase$/, reason: 'A mark that only models of the Responses API read (decision 0006).' },
  {
    to: MESSAGES,
    path: /^messages\[\]\.role$/,
    value: /^"(?:system|developer)"$/,
    reason: 'Both roles become the system prompt, or a marked text (decision 0006).',
  },
  { path: /\.(?:name)$/, value: /^"look_up"$/, reason: 'It repeats the name of the call.' },
  { path: /^messages\[\]\.tool_calls\[\]\.index$/, reason: 'It repeats the place in the list.' },
  { to: MESSAGES, path: /\.(?:extra_content|provider_specific_fields)$/, reason: 'State of another provider (GW-ANT-10).' },
]

/** The row that documents why a field is left out; undefined: there is none. */
export const leftOutRow = (from: Api, to: Api, path: string, value: unknown): LeftOut | undefined =>
  LEFT_OUT.find(
    (row) =>
      (row.from ?? from) === from &&
      (row.to ?? [to]).includes(to) &&
      row.path.test(path) &&
      (row.value ?? /./).test(JSON.stringify(value)),
  )
