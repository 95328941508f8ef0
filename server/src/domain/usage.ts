import { isCount, isObject } from '../lib/untrusted-json.ts'
import type { ProviderAttempt, Usage } from './completion.ts'

/** The usage of a response: the form of the chat API, with the details that providers add. */
export interface ReportedUsage {
  readonly prompt_tokens: number
  /** Absent for embeddings. */
  readonly completion_tokens?: number
}

/** For clients that require the field although the provider reports none. */
export const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

/** Tokens of a response. A part counts tokens of its whole: it adds none to `input` and `output`. */
export interface TokenUnits {
  readonly input: number
  /** Part of `input`: read from the provider's prompt cache. */
  readonly cacheRead: number
  /** Part of `input`, beside `cacheRead`: written to the provider's prompt cache. */
  readonly cacheWrite: number
  /** Part of `cacheWrite`: kept for an hour, the others for five minutes. Undefined: the provider reports no lifetimes. */
  readonly cacheWrite1h: number | undefined
  /** Undefined for embeddings. */
  readonly output: number | undefined
  /** Part of `output`. */
  readonly reasoning: number
}

/**
 * Reads the units from the details of OpenAI (`prompt_tokens_details`, `completion_tokens_details`), DeepSeek
 * (`prompt_cache_hit_tokens`) and Anthropic (`cache_creation`). A part that is no count, or exceeds its whole, counts as 0.
 */
export function tokenUnitsOf(usage: ReportedUsage): TokenUnits {
  const { prompt_tokens: input, completion_tokens: output, ...details }: ReportedUsage & Details = usage
  const ofInput = fieldsOf(details.prompt_tokens_details)
  const cacheRead = partOf(input, ofInput.cached_tokens ?? details.prompt_cache_hit_tokens)
  const cacheWrite = partOf(input - cacheRead, ofInput.cache_write_tokens)
  const lifetimes = details.cache_creation
  return {
    input,
    cacheRead,
    cacheWrite,
    cacheWrite1h: isObject(lifetimes) ? partOf(cacheWrite, lifetimes.ephemeral_1h_input_tokens) : undefined,
    output,
    reasoning: partOf(output ?? 0, fieldsOf(details.completion_tokens_details).reasoning_tokens),
  }
}

type Details = Readonly<
  Partial<Record<'prompt_tokens_details' | 'completion_tokens_details' | 'prompt_cache_hit_tokens' | 'cache_creation', unknown>>
>

const fieldsOf = (value: unknown) => (isObject(value) ? value : {})
const partOf = (whole: number, value: unknown): number => (isCount(value, whole) ? value : 0)

/** The sums of a field over all attempts. */
export const sumOf = (attempts: readonly ProviderAttempt[], field: TokenField): number =>
  attempts.reduce((sum, attempt) => sum + (attempt[field] ?? 0), 0)

type TokenField = keyof ProviderAttempt & `${string}_tokens`
