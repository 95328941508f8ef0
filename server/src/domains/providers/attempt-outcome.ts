import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import type { Choice, ProviderAttempt } from '../../shared/completion.ts'
import type { ProviderCall } from '../../shared/provider-call.ts'
import { type ReportedUsage, tokenUnitsOf } from '../../shared/usage.ts'
import type { HealthSignal } from './health.ts'
import { knownCost, type Price } from './price.ts'
import { isTierPriced, type Tier } from './price-tier.ts'
import { upstreamNameOf } from './provider.ts'
import { needsOperator } from './rejection.ts'
import type { Candidate } from './route.ts'
import type { UpstreamFailure } from './send-to-provider.ts'

// The consequences of one attempt: for retries, for the provider's health and for the record (table in decision 0006, "Failures").

const FAULT_MS = 30_000

const TRANSIENT_STATUSES = new Set([408, 409, 425, 429])
const isTransient = (status: number): boolean => status >= 500 || TRANSIENT_STATUSES.has(status)

/** Whether the same provider may get the request again. Not after a timeout: a second hang would cost the same time again. */
export function isRetryable({ failure, status, rejection }: UpstreamFailure): boolean {
  if (failure === 'status') return isTransient(status) && rejection?.kind !== 'quota_exhausted'
  if (failure === 'error_event') return rejection === undefined || rejection.kind === 'rate_limited'
  return failure === 'connect' || failure === 'reset' || failure === 'truncated' || failure === 'malformed'
}

export interface AttemptConditions {
  /** Makes another attempt only after attempts that certainly had no effect, for example a refused connection or a 429 (GW-REV-13). */
  readonly atMostOnce?: boolean
  /** Whether a part of the response was sent to the client: another response would contradict it. */
  readonly hasLeft?: () => boolean
}

/** Whether no other provider gets the request: the client disconnected, or the request was refused. Another provider may have the model. */
export function endsInvocation(result: UpstreamFailure, { atMostOnce = false, hasLeft }: AttemptConditions): boolean {
  const { failure, rejection } = result
  if (failure === 'aborted' || (rejection?.kind === 'refused' && rejection.code !== 'model_not_found')) return true
  return (atMostOnce && mayHaveHadEffect(result)) || hasLeft?.() === true
}

const UNSENT: ReadonlySet<UpstreamFailure['failure']> = new Set(['connect', 'blocked', 'unsupported'])

const mayHaveHadEffect = ({ failure, status, unsent, hasBegun }: UpstreamFailure): boolean =>
  failure === 'status' ? hasBegun === true || status >= 500 : unsent !== true && !UNSENT.has(failure)

/** The outcome in audit records and metrics. It tells whether the provider may charge for the attempt. */
export function outcomeOf({ failure, rejection, unsent, hasBegun }: UpstreamFailure): string {
  if (unsent) return 'unsent'
  if (hasBegun) return 'error_event'
  return rejection?.kind ?? (failure === 'error_event' ? 'early_error_event' : failure)
}

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
export function faultOf({ rejection }: UpstreamFailure): 'key_rejected' | 'quota_exhausted' | 'model_not_found' | undefined {
  if (rejection?.kind === 'key_rejected' || rejection?.kind === 'quota_exhausted') return rejection.kind
  return rejection?.kind === 'refused' && rejection.code === 'model_not_found' ? rejection.code : undefined
}

export interface Pricing {
  readonly price: Price | undefined
  readonly tier: Tier
}

/** Tokens and cost of a response as fields of its attempt: parts that are 0 are absent, and so is the cost if a price is unknown. */
export function usageOf(response: { readonly usage?: ReportedUsage }, { price, tier }: Pricing) {
  const { usage } = response
  if (!usage) return {}
  const units = tokenUnitsOf(usage)
  const cost = price && isTierPriced(response, price, tier) ? knownCost(price, units) : undefined
  return {
    prompt_tokens: units.input,
    ...(units.cacheRead > 0 && { cache_read_tokens: units.cacheRead }),
    ...(units.cacheWrite > 0 && { cache_write_tokens: units.cacheWrite }),
    ...(units.cacheWrite1h && { cache_write_1h_tokens: units.cacheWrite1h }),
    ...(units.output !== undefined && { completion_tokens: units.output }),
    ...(units.reasoning > 0 && { reasoning_tokens: units.reasoning }),
    ...(cost !== undefined && price && { cost, price: price.version }),
  }
}

export type AttemptFacts = Omit<ProviderAttempt, 'provider' | 'model'>

export function attemptFactsOf(
  result: { readonly ok: true; readonly status: number; readonly response: { readonly usage?: ReportedUsage } } | UpstreamFailure,
  ms: number,
  pricing: Pricing,
): AttemptFacts {
  const { status } = result
  if (result.ok) return { status, outcome: 'ok', ms, ...usageOf(result.response, pricing) }
  return { status, outcome: outcomeOf(result), ms, ...(result.rejection?.kind === 'refused' && { code: result.rejection.code }) }
}

/** Keys are in the order of RFC 8785, like all keys of a record (pipeline/record-draft.ts). */
export function recordAttempt({ provider, model }: Candidate, attempt: AttemptFacts): ProviderAttempt {
  const { cache_read_tokens, cache_write_1h_tokens, cache_write_tokens, code, completion_tokens, cost } = attempt
  const { ms, outcome, price, prompt_tokens, reasoning_tokens, status } = attempt
  return {
    ...(cache_read_tokens !== undefined && { cache_read_tokens }),
    ...(cache_write_1h_tokens !== undefined && { cache_write_1h_tokens }),
    ...(cache_write_tokens !== undefined && { cache_write_tokens }),
    ...(code !== undefined && { code }),
    ...(completion_tokens !== undefined && { completion_tokens }),
    ...(cost !== undefined && { cost }),
    model: model.id,
    ms,
    outcome,
    ...(price !== undefined && { price }),
    ...(prompt_tokens !== undefined && { prompt_tokens }),
    provider: provider.id,
    ...(reasoning_tokens !== undefined && { reasoning_tokens }),
    status,
  }
}

/** The finish reasons of the chat API. Another one is text of the provider and is reported as `other`. */
const FINISH_REASONS = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

export class CallTimes {
  readonly startedAt: number
  readonly #start = elapsed()
  firstChunkMs: number | undefined

  constructor(clock: Clock) {
    this.startedAt = clock.now().getTime()
  }

  get ms(): number {
    return elapsed() - this.#start
  }

  readonly onChunk = (): void => {
    this.firstChunkMs ??= this.ms
  }
}

function finishReasonsOf(response: object): ProviderCall['finishReasons'] {
  const { choices } = response as { readonly choices?: readonly Choice[] }
  if (!Array.isArray(choices)) return []
  const reasons = choices.map(({ finish_reason: reason }) => (FINISH_REASONS.has(reason) ? reason : 'other'))
  return [...new Set(reasons)]
}

export const describeCall = (
  { provider: { kind, preset }, model }: Candidate,
  result: { readonly ok: true; readonly response: object } | { readonly ok: false },
  { startedAt, firstChunkMs }: CallTimes,
  call: Pick<ProviderCall, 'operation' | 'attempt' | 'span'>,
): ProviderCall => ({
  ...call,
  kind,
  preset,
  upstreamModel: upstreamNameOf(model),
  startedAt,
  firstChunkMs,
  finishReasons: result.ok ? finishReasonsOf(result.response) : [],
})
