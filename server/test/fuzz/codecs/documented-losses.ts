import type { Api } from './request-bodies.ts'

/** Values of an accepted request that a provider does not get. Each row is documented in decision 0006 or 0024 or in a contract row. */
const LOSSES: readonly { readonly from?: Api; readonly to?: Api; readonly path: RegExp; readonly source: string }[] = [
  { path: /^(?:model|stream|stream_options|governance)\b/, source: 'GW-FID-1: the gateway carries them out itself' },
  { path: /\bcache_control\b/, source: 'decision 0024: it changes only costs' },
  {
    path: /\breasoning(?:_content|_details)?\b|^input\[\]\.(?:summary|content|encrypted_content|signature|format)\b/,
    source: 'decision 0006: reasoning of another provider',
  },
  {
    from: 'anthropic-messages',
    path: /^messages\[\]\.content\[\]\.(?:thinking|signature|data)$/,
    source: 'decision 0006: reasoning of another provider',
  },
  { from: 'anthropic-messages', path: /^thinking\b/, source: 'GW-ANT-3: a budget becomes an effort' },
  { from: 'anthropic-messages', path: /^context_management\b/, source: 'decision 0024: edits that change nothing' },
  { from: 'anthropic-messages', path: /^service_tier$/, source: 'decision 0006: standard_only and default are one tier' },
  {
    from: 'openai-responses',
    path: /^client_metadata\b|^input\[\]\.(?:id|status)$|\blogprobs\b|^max_tool_calls$/,
    source: 'GW-RESP-9',
  },
  {
    from: 'openai-responses',
    path: /^(?:store|previous_response_id)$/,
    source: 'GW-RESP-17 and GW-RESP-18: the store of the gateway',
  },
  { from: 'openai-responses', path: /^(?:tool_choice|parallel_tool_calls)\b/, source: 'GW-RESP-6: no effect without tools' },
  {
    from: 'openai-responses',
    path: /^input\[\](?:\.content\[\]|\.output\[\])?\.(?:type|role)$/,
    source: 'the chat form has one kind of text and of result',
  },
  { from: 'openai-responses', path: /^input\[\]\.phase$/, source: 'decision 0006: the mark of a message that says nothing' },
  { to: 'anthropic-messages', path: /^prompt_cache_(?:key|retention|options)\b/, source: 'decision 0006' },
  { to: 'anthropic-messages', path: /\bphase$/, source: 'decision 0006: a mark that only models of the Responses API read' },
  { to: 'anthropic-messages', path: /\bdetail$/, source: 'decision 0006: the API reads the full picture' },
  { to: 'anthropic-messages', path: /^tools\[\]|^tool_choice\b/, source: 'decision 0006: allowed_tools sends only these tools' },
  {
    to: 'anthropic-messages',
    path: /^messages\[\]\.role$/,
    source: 'decision 0006: system and developer messages become system',
  },
  {
    to: 'anthropic-messages',
    path: /^(?:response_format\.json_schema|text\.format)\.(?:strict|name|description)$/,
    source: 'decision 0006: the format is always strict, and the labels of the schema take precedence',
  },
]

export const isDocumentedLoss = (from: Api, to: Api, path: string): boolean =>
  LOSSES.some((loss) => (loss.from ?? from) === from && (loss.to ?? to) === to && loss.path.test(path))
