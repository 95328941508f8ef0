import type { ErrorCode, ErrorFields } from '../../errors.ts'
import { PROVIDER_CODES, type Rejection, toClientParam } from './rejection.ts'
import type { UpstreamFailure } from './send-to-provider.ts'

/** The error of a request for which no provider returned a completion. */
export interface InvokeFailure {
  readonly code: Extract<ErrorCode, 'PROVIDER_ERROR' | 'PROVIDER_TIMEOUT' | 'VALIDATION_ERROR' | 'RATE_LIMITED'>
  readonly fields: ErrorFields
}

/** `Retry-After` if a provider that limits requests names no time, and the longest one that is sent to clients. */
const DEFAULT_RETRY_SECONDS = 10
const MAX_RETRY_SECONDS = 3_600

const KEY_OR_ACCOUNT_REJECTED =
  'The model provider rejects the key or the account of this gateway at present. An operator of the gateway has to correct this.'

/** Precedence of failures; the highest one becomes the error (decision 0006, "Result of several failed attempts"). */
const MODEL_MISSING = 0
const NEEDS_OPERATOR = 1
const UNSUPPORTED = 2
const TEMPORARY = 3
const REFUSED = 4

/** Collects the failed attempts of one request and turns them into one error. */
export class FailedAttempts {
  /** The last failure of the highest precedence. */
  #decisive: UpstreamFailure | undefined
  #rateLimitMs = Number.POSITIVE_INFINITY

  add(failure: UpstreamFailure): void {
    if (failure.rejection?.kind === 'rate_limited') {
      this.#rateLimitMs = Math.min(this.#rateLimitMs, failure.retryAfterMs ?? DEFAULT_RETRY_SECONDS * 1_000)
    }
    if (!this.#decisive || precedenceOf(failure) >= precedenceOf(this.#decisive)) this.#decisive = failure
  }

  /**
   * `openBreakerMs`: time until a provider that was skipped because of its open breaker may get requests again; undefined: none was skipped.
   * `wasBusy`: a provider was skipped because it had no free place.
   * `addedMessages`: number of messages that the gateway has put before the client's messages.
   */
  toFailure({
    openBreakerMs,
    wasBusy,
    addedMessages,
  }: {
    readonly openBreakerMs: number | undefined
    readonly wasBusy: boolean
    readonly addedMessages: number
  }): InvokeFailure {
    const { failure, rejection } = this.#decisive ?? {}
    if (rejection?.kind === 'rate_limited') return rateLimited(this.#rateLimitMs)
    if (openBreakerMs !== undefined && (!this.#decisive || precedenceOf(this.#decisive) < TEMPORARY)) {
      return { code: 'PROVIDER_ERROR', fields: { headers: retryAfter(openBreakerMs) } }
    }
    if (rejection?.kind === 'refused') return refused(rejection, addedMessages)
    // The busy provider may accept the field, so the request is not wrong.
    if (rejection?.kind === 'unsupported')
      return wasBusy ? { code: 'PROVIDER_ERROR', fields: {} } : refused(rejection, addedMessages)
    if (rejection) {
      return { code: 'PROVIDER_ERROR', fields: { message: KEY_OR_ACCOUNT_REJECTED, headers: { 'x-should-retry': 'false' } } }
    }
    if (failure === 'timeout') return { code: 'PROVIDER_TIMEOUT', fields: {} }
    const retryAfterMs = this.#decisive?.retryAfterMs
    return { code: 'PROVIDER_ERROR', fields: retryAfterMs === undefined ? {} : { headers: retryAfter(retryAfterMs) } }
  }
}

function precedenceOf({ rejection }: UpstreamFailure): number {
  if (!rejection || rejection.kind === 'rate_limited') return TEMPORARY
  if (rejection.kind === 'unsupported') return UNSUPPORTED
  if (rejection.kind !== 'refused') return NEEDS_OPERATOR
  return rejection.code === 'model_not_found' ? MODEL_MISSING : REFUSED
}

type Refusal = Extract<Rejection, { kind: 'refused' | 'unsupported' }>

function refused({ kind, code, param }: Refusal, addedMessages: number): InvokeFailure {
  const clientParam = toClientParam(param, addedMessages)
  const message =
    kind === 'refused'
      ? `The model provider refused the request. ${PROVIDER_CODES[code]}`
      : `The API of the model's provider has no equivalent of ${clientParam ?? 'a part of the request'}. ${UNSUPPORTED_ADVICE}`
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

const UNSUPPORTED_ADVICE = 'Remove or change it, or choose a model of another provider.'

function rateLimited(ms: number): InvokeFailure {
  const headers = retryAfter(ms)
  return {
    code: 'RATE_LIMITED',
    fields: {
      message: `The model provider's own rate limit is reached, not the gateway's. Try again in ${headers['retry-after']} s.`,
      details: { reason: 'provider_rate_limited' },
      headers,
    },
  }
}

const retryAfter = (ms: number) => ({ 'retry-after': String(Math.min(Math.max(1, Math.ceil(ms / 1_000)), MAX_RETRY_SECONDS)) })
