import type { Completion } from '../domain/completion.ts'
import type { HealthSignal } from './health.ts'
import type { UpstreamFailure, UpstreamResult } from './openai-adapter.ts'
import type { ProviderModel } from './provider.ts'
import { needsOperator } from './rejection.ts'

/** What one call says: of the provider, of the run, for the record. */

/** How long a provider that rejects our key or account stays behind others. */
const FAULT_MS = 30_000

const TRANSIENT_STATUS = new Set([408, 409, 425, 429])
const isTransient = (status: number): boolean => status >= 500 || TRANSIENT_STATUS.has(status)

/** By the same provider. A timeout is not: a hang would be paid for twice. An empty account stays empty. */
export function isWorthRepeating({ failure, status, rejection }: UpstreamFailure): boolean {
  if (failure === 'status') return isTransient(status) && rejection?.kind !== 'quota_exhausted'
  return failure === 'connect' || failure === 'reset' || failure === 'truncated' || failure === 'malformed'
}

/** Nobody is asked after this: the caller has gone, or the request itself is refused. A model may be another provider's. */
export const endsRun = ({ failure, rejection }: UpstreamFailure): boolean =>
  failure === 'aborted' || (rejection?.kind === 'refused' && rejection.code !== 'model_not_found')

/** Whether the provider may have spent something on the request. */
export const mayHaveWorked = ({ failure, status }: UpstreamFailure): boolean =>
  failure === 'status' ? status >= 500 : failure !== 'connect' && failure !== 'blocked'

/** As the audit record and the metrics name it. */
export const outcomeOf = ({ failure, rejection }: UpstreamFailure): string => rejection?.kind ?? failure

export const limitedMs = ({ rejection, retryAfterMs }: UpstreamFailure): number | undefined =>
  rejection && needsOperator(rejection) ? FAULT_MS : retryAfterMs

export function signalOf(result: UpstreamResult, hadItsTime: boolean): HealthSignal {
  if (result.ok) return 'alive'
  const { failure, status, rejection } = result
  if (failure === 'timeout' && !hadItsTime) return 'unknown'
  if (rejection) return rejection.kind === 'refused' ? 'alive' : 'limited'
  if (failure === 'status') return status >= 500 ? 'failed' : 'alive'
  return failure === 'aborted' || failure === 'too_large' || failure === 'blocked' ? 'unknown' : 'failed'
}

/** What only an operator can end, by the name that operators see; undefined for everything else. */
export function faultOf({ rejection }: UpstreamFailure): string | undefined {
  if (!rejection || !needsOperator(rejection)) return undefined
  return rejection.kind === 'refused' ? rejection.code : rejection.kind
}

/** Tokens and their price; goes into the attempt. */
export function spentOn({ usage }: Completion, { inputPrice, outputPrice }: ProviderModel) {
  if (!usage) return {}
  const { prompt_tokens, completion_tokens } = usage
  const tokens = { prompt_tokens, completion_tokens }
  if (inputPrice === null || outputPrice === null) return tokens
  return { ...tokens, cost: (prompt_tokens * inputPrice + completion_tokens * outputPrice) / 1_000_000 }
}
