import type { ChatMessage } from './message.ts'

/** A whole, validated answer of a provider (gateway-api.md, ChatCompletion, without `governance`). */
export interface Completion {
  readonly id: string
  readonly object: 'chat.completion'
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly choices: readonly Choice[]
  readonly usage?: Usage
}

export interface Choice {
  readonly index: number
  readonly message: ChatMessage
  readonly finish_reason: string
  readonly logprobs?: unknown
}

export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

/** One try at one provider; goes into the audit record. `status` is the HTTP status, or 0 when none was received. */
export interface ProviderAttempt {
  readonly provider: string
  readonly model: string
  readonly status: number
  /** ok, or the name of the failure: connect, timeout, reset, malformed, refused, … Never the provider's text. */
  readonly outcome: string
  /** Of a `refused` one: why, as a word of the closed list (providers/refusal.ts). */
  readonly code?: string
  readonly ms: number
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  /** In the currency of the model's prices, per the Workspace's configuration. */
  readonly cost?: number
}

const NEVER_BEGAN = new Set([
  'connect',
  'blocked',
  'busy',
  'circuit_open',
  'refused',
  'key_rejected',
  'quota_exhausted',
  'rate_limited',
])

/** Whether the provider may have begun to work on it: such an attempt is not repeated where one answer at most is allowed. */
export const mayHaveWorked = ({ outcome, status }: ProviderAttempt): boolean =>
  outcome === 'status' ? status >= 500 : !NEVER_BEGAN.has(outcome)
