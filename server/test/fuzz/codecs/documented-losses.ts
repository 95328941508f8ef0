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

const [CHAT, RESPONSES, MESSAGES] = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const
const REASONING = 'decision 0006: reasoning of another provider'

const isReasoning = ({ type }: Fields): boolean => type === 'reasoning'
const hasNoTools = ({ tools }: Fields): boolean => !Array.isArray(tools) || tools.length === 0
const hasAllowedTools = ({ tool_choice: choice }: Fields): boolean => isObject(choice) && choice.type === 'allowed_tools'

/** Values of an accepted request that a provider does not get. Each row is documented in decision 0006 or 0024 or in a contract row. */
const LOSSES: readonly Loss[] = [
  { path: /^(?:model|stream|stream_options(?:\.include_\w+)?)$|^governance\b/, source: 'GW-FID-1: the gateway carries them out' },
  { path: /^(?:(?:system|tools|messages)\[\](?:\.content\[\]){0,2}\.)?cache_control\b/, source: 'decision 0024: only costs' },
  { from: CHAT, path: /^messages\[\]\.reasoning(?:_content|_details)?\b/, source: REASONING },
  { from: RESPONSES, path: /^input\[\]\./, inItem: isReasoning, source: REASONING },
  { from: MESSAGES, to: RESPONSES, path: /^messages\[\]\.content\[\]\.(?:thinking|signature|data)$/, source: REASONING },
  {
    ...{ from: RESPONSES, source: 'GW-RESP-9: the form of the reasoning in the response' },
    path: /^reasoning\.(?:summary|generate_summary|context|mode)$|^include\b/,
  },
  { from: MESSAGES, path: /^thinking(?:\.(?:type|budget_tokens|display))?$/, source: 'GW-ANT-3: a budget becomes an effort' },
  { from: MESSAGES, path: /^context_management\b/, source: 'decision 0024: edits that change nothing' },
  { from: MESSAGES, path: /^tools\[\]\.eager_input_streaming$/, source: 'streams begin after the verdict' },
  { from: MESSAGES, path: /^service_tier$/, source: 'decision 0006: standard_only and default are one tier' },
  {
    ...{ from: RESPONSES, source: 'GW-RESP-9' },
    path: /^client_metadata\b|^input\[\]\.(?:id|status)$|^input\[\]\.content\[\]\.logprobs\b|^max_tool_calls$/,
  },
  { from: RESPONSES, path: /^(?:store|previous_response_id)$/, source: 'GW-RESP-17, GW-RESP-18: the store of the gateway' },
  { from: RESPONSES, path: /^(?:tool_choice|parallel_tool_calls)$/, inBody: hasNoTools, source: 'GW-RESP-6: no effect' },
  { from: RESPONSES, path: /^input\[\](?:\.content\[\]|\.output\[\])?\.type$/, source: 'one kind of text and of result' },
  { to: MESSAGES, path: /^prompt_cache_(?:key|retention)$/, source: 'decision 0006' },
  { to: MESSAGES, path: /^(?:messages|input)\[\]\.phase$/, source: 'decision 0006: only models of the Responses API read it' },
  { to: MESSAGES, path: /\.content\[\]\.(?:image_url\.)?detail$/, source: 'decision 0006: the API reads the full picture' },
  { to: MESSAGES, path: /^tools\[\]|^tool_choice\b/, inBody: hasAllowedTools, source: 'decision 0006: sends only these tools' },
  { to: MESSAGES, path: /^(?:messages|input)\[\]\.role$/, source: 'decision 0006: such messages become system' },
  { to: MESSAGES, path: /^(?:response_format\.json_schema|text\.format)\.strict$/, source: 'decision 0006: always strict' },
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
