import type { HealthSignal } from './health.ts'
import { costOf, type ProviderModel } from './provider.ts'
import { needsOperator } from './rejection.ts'
import type { UpstreamFailure } from './request-completion.ts'

// The consequences of one attempt: for retries, for the provider's health and for the record (table in decision 0006, "Failures").

/** How long a provider that rejects the gateway's key or account ranks behind others. */
const FAULT_MS = 30_000

const TRANSIENT_STATUSES = new Set([408, 409, 425, 429])
const isTransient = (status: number): boolean => status >= 500 || TRANSIENT_STATUSES.has(status)

/** Whether the same provider may get the request again. Not after a timeout: a second hang would cost the same time again. */
export function isRetryable({ failure, status, rejection }: UpstreamFailure): boolean {
  if (failure === 'status') return isTransient(status) && rejection?.kind !== 'quota_exhausted'
  if (failure === 'error_event') return rejection === undefined || rejection.kind === 'rate_limited'
  return failure === 'connect' || failure === 'reset' || failure === 'truncated' || failure === 'malformed'
}

/** Whether no other provider gets the request: the client disconnected, or the request was refused. Another provider may have the model. */
export const endsInvocation = ({ failure, rejection }: UpstreamFailure): boolean =>
  failure === 'aborted' || (rejection?.kind === 'refused' && rejection.code !== 'model_not_found')

const UNSENT: ReadonlySet<UpstreamFailure['failure']> = new Set(['connect', 'blocked', 'unsupported'])

/** Whether the request may have reached the model. */
export const mayHaveHadEffect = ({ failure, status }: UpstreamFailure): boolean =>
  failure === 'status' ? status >= 500 : !UNSENT.has(failure)

/** The outcome in audit records and metrics. */
export const outcomeOf = ({ failure, rejection }: UpstreamFailure): string => rejection?.kind ?? failure

/** How long the provider ranks behind others; undefined: the default of Health. */
export const rankedBehindMs = ({ rejection, retryAfterMs }: UpstreamFailure): number | undefined =>
  rejection && needsOperator(rejection) ? FAULT_MS : retryAfterMs

/** `hadFullTime`: the attempt was not shortened by earlier attempts (TimeBudget.attemptLimits). */
export function signalOf(result: { readonly ok: true } | UpstreamFailure, hadFullTime: boolean): HealthSignal {
  if (result.ok) return 'alive'
  const { failure, status, rejection } = result
  if (failure === 'timeout' && !hadFullTime) return 'unknown'
  if (rejection) return rejection.kind === 'refused' ? 'alive' : 'limited'
  if (failure === 'status') return status >= 500 ? 'failed' : 'alive'
  return failure === 'aborted' || failure === 'too_large' || failure === 'blocked' ? 'unknown' : 'failed'
}

/** The name of a failure that only an operator can resolve; undefined for all other failures. */
export function faultOf({ rejection }: UpstreamFailure): string | undefined {
  if (!rejection || !needsOperator(rejection)) return undefined
  return rejection.kind === 'refused' ? rejection.code : rejection.kind
}

export interface Usage {
  readonly prompt_tokens: number
  /** Absent for embeddings. */
  readonly completion_tokens?: number
}

/** Tokens and cost of a response as fields of its attempt. Without `cost` if a price is unknown. */
export function usageOf({ usage }: { readonly usage?: Usage }, model: ProviderModel) {
  if (!usage) return {}
  const { prompt_tokens, completion_tokens } = usage
  const tokens = { prompt_tokens, ...(completion_tokens !== undefined && { completion_tokens }) }
  const cost = costOf(model, { input: prompt_tokens, output: completion_tokens })
  return Number.isNaN(cost) ? tokens : { ...tokens, cost }
}
