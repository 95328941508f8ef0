import type { UpstreamRequest } from '../upstream-dialect.ts'

/** The header that turns on features which are not part of the API yet: https://platform.claude.com/docs/en/api/beta-headers. */
export const BETA_HEADER = 'anthropic-beta'

/** `interleaved-thinking-2025-05-14`, `claude-code-20250219`: no other text fits, because no detector reads the header. */
const BETA = /^[a-z][a-z0-9-]{1,60}-\d{4}-?\d{2}-?\d{2}$/
const MAX_BETAS = 32

/** The names in the values of a header; undefined: it has others. */
export function readBetas(values: readonly string[]): readonly string[] | undefined {
  const names = values.flatMap((value) => value.split(',').flatMap((name) => name.trim() || []))
  return names.length <= MAX_BETAS && names.every((name) => BETA.test(name)) ? [...new Set(names)] : undefined
}

/** Only a client of this API knows the features, so only it can ask for them. */
export const betasOf = ({ original }: Pick<UpstreamRequest, 'original'>): readonly string[] =>
  original?.dialect === 'anthropic-messages' ? (original.betas ?? []) : []
