import type { ErrorCode, ErrorFields } from '../../errors.ts'
import { PROVIDER_CODES, type Rejection, toClientParam } from './rejection.ts'
import type { UpstreamFailure } from './send-to-provider.ts'

export interface InvokeFailure {
  readonly code: Extract<ErrorCode, 'PROVIDER_ERROR' | 'PROVIDER_TIMEOUT' | 'VALIDATION_ERROR' | 'RATE_LIMITED'>
  readonly fields: ErrorFields
}

/** `Retry-After` if a provider that limits requests names no time, and the longest one that is sent to clients. */
const DEFAULT_RETRY_SECONDS = 10
const MAX_RETRY_SECONDS = 3_600

/** The client cannot resolve them. Operators get the notification `provider.failing`. */
const FOR_OPERATORS = {
  key_rejected: "The gateway's key for this provider is not accepted. An operator has to set a valid one.",
  quota_exhausted: "The gateway's account at this provider has no credit left. An operator has to add some.",
}

interface Circumstances {
  /** Until a provider that was skipped because of its open breaker may get requests again; undefined: none was skipped. */
  readonly openBreakerMs: number | undefined
  readonly wasBusy: boolean
  readonly addedMessages: number
}

/** Precedence of failures; the highest one becomes the error (decision 0006, "Result of several failed attempts"). */
const PRECEDENCE = { modelMissing: 0, needsOperator: 1, unsupported: 2, temporary: 3, refused: 4 }

export class FailedAttempts {
  #decisive: UpstreamFailure | undefined
  #rateLimitMs = Number.POSITIVE_INFINITY

  add(failure: UpstreamFailure): void {
    if (failure.rejection?.kind === 'rate_limited')
      this.#rateLimitMs = Math.min(this.#rateLimitMs, failure.retryAfterMs ?? DEFAULT_RETRY_SECONDS * 1_000)
    if (!this.#decisive || precedenceOf(failure) >= precedenceOf(this.#decisive)) this.#decisive = failure
  }

  toFailure({ openBreakerMs, wasBusy, addedMessages }: Circumstances): InvokeFailure {
    const { failure, rejection } = this.#decisive ?? {}
    if (rejection?.kind === 'rate_limited') return rateLimited(this.#rateLimitMs)
    if (openBreakerMs !== undefined && (!this.#decisive || precedenceOf(this.#decisive) < PRECEDENCE.temporary))
      return { code: 'PROVIDER_ERROR', fields: { headers: retryAfter(openBreakerMs) } }
    // The busy provider may accept the field, so the request is not wrong.
    if (rejection?.kind === 'unsupported' && wasBusy) return { code: 'PROVIDER_ERROR', fields: {} }
    if (rejection?.kind === 'refused' || rejection?.kind === 'unsupported') return refused(rejection, addedMessages)
    if (rejection)
      return {
        code: 'PROVIDER_ERROR',
        fields: { message: FOR_OPERATORS[rejection.kind], headers: { 'x-should-retry': 'false' } },
      }
    if (failure === 'timeout') return { code: 'PROVIDER_TIMEOUT', fields: {} }
    const retryAfterMs = this.#decisive?.retryAfterMs
    return { code: 'PROVIDER_ERROR', fields: retryAfterMs === undefined ? {} : { headers: retryAfter(retryAfterMs) } }
  }
}

function precedenceOf({ rejection }: UpstreamFailure): number {
  if (!rejection || rejection.kind === 'rate_limited') return PRECEDENCE.temporary
  if (rejection.kind === 'unsupported') return PRECEDENCE.unsupported
  if (rejection.kind !== 'refused') return PRECEDENCE.needsOperator
  return rejection.code === 'model_not_found' ? PRECEDENCE.modelMissing : PRECEDENCE.refused
}

function refused(
  { kind, code, param }: Extract<Rejection, { kind: 'refused' | 'unsupported' }>,
  addedMessages: number,
): InvokeFailure {
  const clientParam = toClientParam(param, addedMessages)
  const message =
    kind === 'refused'
      ? `The model provider refused the request. ${PROVIDER_CODES[code]}`
      : `The API of the model's provider has no equivalent of ${clientParam ?? 'a part of the request'}. Remove or change it, or choose a model of another provider.`
  return {
    code: 'VALIDATION_ERROR',
    fields: {
      message,
      ...(clientParam !== undefined && { param: clientParam }),
      details: { reason: `provider_${kind}`, provider_code: code },
      headers: { 'x-should-retry': 'false' },
    },
  }
}

function rateLimited(ms: number): InvokeFailure {
  const headers = retryAfter(ms)
  const message = `The model provider's own rate limit is reached, not the gateway's. Try again in ${headers['retry-after']} s.`
  return { code: 'RATE_LIMITED', fields: { message, details: { reason: 'provider_rate_limited' }, headers } }
}

const retryAfter = (ms: number) => ({ 'retry-after': String(Math.min(Math.max(1, Math.ceil(ms / 1_000)), MAX_RETRY_SECONDS)) })
