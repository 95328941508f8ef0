import type { EncodedRequest, UpstreamDialect, UpstreamRequest } from '../upstream-dialect.ts'
import { EventCollector } from './upstream-events.ts'
import { encodeRequest } from './upstream-request.ts'
import { readMessage } from './upstream-response.ts'

export const anthropicUpstream: UpstreamDialect = {
  encode: (request) => withBetas(encodeRequest(request), betasOf(request)),
  collect: () => new EventCollector(),
  read: readMessage,
}

const withBetas = (encoded: EncodedRequest, betas: readonly string[]): EncodedRequest =>
  encoded.ok && betas.length > 0 ? { ...encoded, headers: { 'anthropic-beta': betas.join(',') } } : encoded

/** The header that turns on features which are not part of the API yet: https://platform.claude.com/docs/en/api/beta-headers. */
export const BETA_HEADER = 'anthropic-beta'

/** `interleaved-thinking-2025-05-14`, `claude-code-20250219`: no other text fits, because no detector reads the header. */
const BETA = /^([a-z][a-z0-9-]{1,60})-\d{4}-?\d{2}-?\d{2}$/
/** Before the date: `output-128k-2025-02-19`. The number of a card, an account or a phone has more digits. */
const MAX_DIGITS = 4
const MAX_BETAS = 32

function isBeta(name: string): boolean {
  const [, words] = BETA.exec(name) ?? []
  return words !== undefined && words.replaceAll(/\D/g, '').length <= MAX_DIGITS
}

/** The names in the values of a header; undefined: it has others. */
export function readBetas(values: readonly string[]): readonly string[] | undefined {
  const names = values.flatMap((value) => value.split(',').flatMap((name) => name.trim() || []))
  return names.length <= MAX_BETAS && names.every(isBeta) ? [...new Set(names)] : undefined
}

/** Only a client of this API knows the features, so only it can ask for them. */
const betasOf = ({ original }: Pick<UpstreamRequest, 'original'>): readonly string[] =>
  original?.dialect === 'anthropic-messages' ? (original.betas ?? []) : []
