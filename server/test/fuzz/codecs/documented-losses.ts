import { type Fields, isObject } from '../../../src/platform/lib/untrusted-json.ts'
import type { Place } from './mutations.ts'
import type { Api } from './request-bodies.ts'

interface Loss {
  readonly from?: Api
  readonly to?: Api
  readonly path: RegExp
  /** Whether it applies to an entry of a list of the request. */
  readonly inItem?: (item: Fields) => boolean
  /** Whether it applies to a request. */
  readonly inBody?: (body: Fields) => boolean
  readonly source: string
}

const isReasoning = ({ type }: Fields): boolean => type === 'reasoning'
const hasNoTools = ({ tools }: Fields): boolean => !Array.isArray(tools) || tools.length === 0
const hasAllowedTools = ({ tool_choice: choice }: Fields): boolean => isObject(choice) && choice.type === 'allowed_tools'

/** Values of an accepted request that a provider does not get. Each row is documented in decision 0006 or 0024 or in a contract row. */
const LOSSES: readonly Loss[] = [
  {
    path: /^(?:model|stream|stream_options(?:\.include_\w+)?)$|^governance\b/,
    source: 'GW-FID-1: the gateway carries them out itself',
  },
  {
    path: /^(?:(?:system|tools|messages)\[\](?:\.content\[\]){0,2}\.)?cache_control\b/,
    source: 'decision 0024: it changes only costs',
  },
  {
    from: 'openai-chat',
    path: /^messages\[\]\.reasoning(?:_content|_details)?\b/,
    source: 'decision 0006: reasoning of another provider',
  },
  {
    from: 'openai-responses',
    path: /^input\[\]\./,
    inItem: isReasoning,
    source: 'decision 0006: reasoning of another provider',
  },
  {
    from: 'anthropic-messages',
    to: 'openai-responses',
    path: /^messages\[\]\.content\[\]\.(?:thinking|signature|data)$/,
    source: 'decision 0006: reasoning of another provider',
  },
  {
    from: 'openai-responses',
    path: /^reasoning\.(?:summary|generate_summary|context|mode)$|^include\b/,
    source: 'GW-RESP-9: the form of the reasoning in the response',
  },
  {
    from: 'anthropic-messages',
    path: /^thinking(?:\.(?:type|budget_tokens|display))?$/,
    source: 'GW-ANT-3: a budget becomes an effort',
  },
  { from: 'anthropic-messages', path: /^context_management\b/, source: 'decision 0024: edits that change nothing' },
  { from: 'anthropic-messages', path: /^tools\[\]\.eager_input_streaming$/, source: 'streams begin after the verdict' },
  { from: 'anthropic-messages', path: /^service_tier$/, source: 'decision 0006: standard_only and default are one tier' },
  {
    from: 'openai-responses',
    path: /^client_metadata\b|^input\[\]\.(?:id|status)$|^input\[\]\.content\[\]\.logprobs\b|^max_tool_calls$/,
    source: 'GW-RESP-9',
  },
  {
    from: 'openai-responses',
    path: /^(?:store|previous_response_id)$/,
    source: 'GW-RESP-17 and GW-RESP-18: the store of the gateway',
  },
  {
    from: 'openai-responses',
    path: /^(?:tool_choice|parallel_tool_calls)$/,
    inBody: hasNoTools,
    source: 'GW-RESP-6: no effect without tools',
  },
  {
    from: 'openai-responses',
    path: /^input\[\](?:\.content\[\]|\.output\[\])?\.type$/,
    source: 'the chat form has one kind of text and of result',
  },
  { to: 'anthropic-messages', path: /^prompt_cache_(?:key|retention)$/, source: 'decision 0006' },
  {
    to: 'anthropic-messages',
    path: /^(?:messages|input)\[\]\.phase$/,
    source: 'decision 0006: a mark that only models of the Responses API read',
  },
  {
    to: 'anthropic-messages',
    path: /\.content\[\]\.(?:image_url\.)?detail$/,
    source: 'decision 0006: the API reads the full picture',
  },
  {
    to: 'anthropic-messages',
    path: /^tools\[\]|^tool_choice\b/,
    inBody: hasAllowedTools,
    source: 'decision 0006: allowed_tools sends only these tools',
  },
  {
    to: 'anthropic-messages',
    path: /^(?:messages|input)\[\]\.role$/,
    source: 'decision 0006: system and developer messages become system',
  },
  {
    to: 'anthropic-messages',
    path: /^(?:response_format\.json_schema|text\.format)\.strict$/,
    source: 'decision 0006: the format is always strict',
  },
]

/** `body`: the request in which the value stands. */
export const isDocumentedLoss = (from: Api, to: Api, { path, item }: Pick<Place, 'path' | 'item'>, body: Fields): boolean =>
  LOSSES.some(
    (loss) =>
      (loss.from ?? from) === from &&
      (loss.to ?? to) === to &&
      loss.path.test(path) &&
      (loss.inItem?.(isObject(item) ? item : {}) ?? true) &&
      (loss.inBody?.(body) ?? true),
  )
