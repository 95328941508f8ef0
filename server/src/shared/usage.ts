import { type Fields, isCount, isObject } from '../platform/lib/untrusted-json.ts'
import type { ProviderAttempt, Usage } from './completion.ts'

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
  /** Part of `input`, in addition to `cacheRead`: written to the provider's prompt cache. */
  readonly cacheWrite: number
  /** Part of `cacheWrite`: kept for an hour, the others for five minutes. Undefined: the provider reports no lifetimes. */
  readonly cacheWrite1h: number | undefined
  /** Undefined for embeddings. */
  readonly output: number | undefined
  /** Part of `output`. */
  readonly reasoning: number
}

/**
 * Reads OpenAI's details and the names of DeepSeek (`prompt_cache_hit_tokens`), Moonshot (`cached_tokens`), proxies of the Messages API
 * (`cache_read_input_tokens`) and Anthropic (`cache_creation`). A part that is no count, or exceeds its whole, counts as 0.
 */
export function tokenUnitsOf(usage: ReportedUsage): TokenUnits {
  const { prompt_tokens: input, completion_tokens: output, ...details } = usage as ReportedUsage & Fields
  const ofInput = fieldsOf(details.prompt_tokens_details)
  const cacheRead = partOf(
    input,
    ofInput.cached_tokens || details.prompt_cache_hit_tokens || details.cached_tokens || details.cache_read_input_tokens,
  )
  const cacheWrite = partOf(
    input - cacheRead,
    ofInput.cache_write_tokens || ofInput.cache_creation_input_tokens || details.cache_creation_input_tokens,
  )
  const lifetimes = details.cache_creation
  return {
    input,
    cacheRead,
    cacheWrite,
    cacheWrite1h: isObject(lifetimes) ? partOf(cacheWrite, lifetimes.ephemeral_1h_input_tokens) : undefined,
    output,
    reasoning: partOf(output ?? 0, reasoningOf(details)),
  }
}

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})
const partOf = (whole: number, value: unknown): number => (isCount(value, whole) ? value : 0)
const reasoningOf = (usage: Fields): unknown =>
  fieldsOf(usage.completion_tokens_details ?? usage.output_tokens_details).reasoning_tokens || usage.reasoning_tokens

/** Tokens of one response. A record adds up two of them in 31 bits. */
export const MAX_TOKENS = 1_000_000_000

/**
 * The counts of a usage, or undefined if one is not a whole number from 0 to MAX_TOKENS. Some servers count a part in addition to the whole:
 * reasoning (xAI, Gemini), tokens of the cache. The total tells, so that every token is charged.
 */
export function countsOf(usage: Fields, input: unknown = 0, output: unknown = 0): Usage | undefined {
  const [prompt, completion] = [input ?? 0, output ?? 0]
  if (!isCount(prompt, MAX_TOKENS) || !isCount(completion, MAX_TOKENS - prompt)) return undefined
  const sum = prompt + completion
  const total_tokens = usage.total_tokens ?? sum + uncounted(reasoningOf(usage), completion)
  if (!isCount(total_tokens, MAX_TOKENS)) return undefined
  // A total alone does not tell the kinds of its tokens.
  const rest = sum > 0 ? Math.max(0, total_tokens - sum) : 0
  const ofPrompt = rest > 0 && rest === cachedTokens(usage) ? rest : 0
  return { prompt_tokens: prompt + ofPrompt, completion_tokens: completion + rest - ofPrompt, total_tokens }
}

/** Reasoning that exceeds the output cannot be a part of it. */
const uncounted = (reasoning: unknown, output: number): number =>
  isCount(reasoning, MAX_TOKENS) && reasoning > output ? reasoning : 0

const cachedTokens = ({ cache_read_input_tokens: read, cache_creation_input_tokens: written }: Fields): number =>
  partOf(MAX_TOKENS, read) + partOf(MAX_TOKENS, written)

export const sumOf = (attempts: readonly ProviderAttempt[], field: TokenField): number =>
  attempts.reduce((sum, attempt) => sum + (attempt[field] ?? 0), 0)

type TokenField = keyof ProviderAttempt & `${string}_tokens`
