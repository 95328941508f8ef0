import type { ChatMessage } from './message.ts'

/** A complete, validated response of a provider (GW-COMP-1, without `governance`). */
export interface Completion {
  readonly id: string
  readonly object: 'chat.completion'
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly choices: readonly Choice[]
  readonly usage?: Usage
  /** Further fields are the provider's own, for example `system_fingerprint`. */
  readonly [field: string]: unknown
}

export type CompletionHead = Pick<Completion, 'id' | 'created' | 'model'>

/** Further fields are the provider's own, except `logprobs`. */
export interface Choice {
  readonly index: number
  readonly message: ChatMessage
  readonly finish_reason: string
  readonly logprobs?: unknown
  readonly [field: string]: unknown
}

export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly [field: string]: unknown
}

const KNOWN_OF_COMPLETION = new Set(['id', 'object', 'created', 'model', 'choices', 'usage'])
const KNOWN_OF_CHOICE = new Set(['index', 'message', 'finish_reason', 'logprobs'])
const KNOWN_OF_USAGE = new Set(['prompt_tokens', 'completion_tokens', 'total_tokens'])

/** All content, for collectTexts: the messages, then the other fields of each choice, of the completion and of its usage. */
export const partsOf = (completion: Completion): readonly ChatMessage[] =>
  [
    ...completion.choices.map(({ message }) => message),
    ...completion.choices.map((choice) => without(choice, KNOWN_OF_CHOICE)),
    without(completion, KNOWN_OF_COMPLETION),
    without(completion.usage ?? {}, KNOWN_OF_USAGE),
  ] as readonly ChatMessage[]

export function withParts(completion: Completion, parts: readonly ChatMessage[]): Completion {
  const count = completion.choices.length
  const choices = completion.choices.map(
    (choice, index): Choice => ({
      ...only(choice, KNOWN_OF_CHOICE),
      ...parts[count + index],
      message: parts[index] ?? choice.message,
    }),
  )
  const usage = completion.usage && { ...only(completion.usage, KNOWN_OF_USAGE), ...parts[2 * count + 1] }
  return { ...only(completion, KNOWN_OF_COMPLETION), ...parts[2 * count], choices, ...(usage && { usage }) }
}

const without = (fields: object, known: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name)))

const only = <T extends object>(fields: T, known: ReadonlySet<string>): T =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => known.has(name))) as T

/** One try at one provider; goes into the audit record. `status` is the HTTP status, or 0 when none was received. */
export interface ProviderAttempt {
  readonly provider: string
  readonly model: string
  readonly status: number
  /** ok, or the name of the failure: connect, timeout, reset, malformed, refused, … Never the provider's text. */
  readonly outcome: string
  /** Why the provider `refused` the request, from the closed list in domains/providers/rejection.ts. */
  readonly code?: string
  readonly ms: number
  readonly prompt_tokens?: number
  /** Part of `prompt_tokens`, like the next two; absent: none. */
  readonly cache_read_tokens?: number
  readonly cache_write_tokens?: number
  /** Part of `cache_write_tokens`: kept for an hour. */
  readonly cache_write_1h_tokens?: number
  readonly completion_tokens?: number
  /** Part of `completion_tokens`; absent: none. */
  readonly reasoning_tokens?: number
  /** USD, in whole billionths; absent: no price is known. */
  readonly cost?: number
  /** The source of the price of `cost`: `operator`, `stub` or the price list with its version. */
  readonly price?: string
}

const WITHOUT_EFFECT = new Set([
  'connect',
  'blocked',
  'unsent',
  'busy',
  'circuit_open',
  'refused',
  'key_rejected',
  'quota_exhausted',
  'rate_limited',
  'unsupported',
])

export const mayHaveHadEffect = ({ outcome, status }: ProviderAttempt): boolean =>
  outcome === 'status' ? status >= 500 : !WITHOUT_EFFECT.has(outcome)
