import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { UpstreamFailure } from './openai-adapter.ts'
import { PROVIDER_CODES, toClientParam } from './rejection.ts'

export interface InvokeFailure {
  readonly code: Extract<ErrorCode, 'PROVIDER_ERROR' | 'PROVIDER_TIMEOUT' | 'VALIDATION_ERROR' | 'RATE_LIMITED'>
  readonly fields: ErrorFields
}

/** Told to a caller whose provider limits us without saying for how long, and the longest wait that one is told, seconds. */
const DEFAULT_RETRY_SECONDS = 10
const MAX_RETRY_SECONDS = 3_600

/**
 * What the failures of one run come to. A failure that passes by itself counts for more than one that only an operator can end, and
 * that for more than a model that one provider does not have: another provider of it may be back in a moment. Of equals, the last.
 */
export class Failures {
  #deciding: UpstreamFailure | undefined
  #limitedMs = Number.POSITIVE_INFINITY

  get any(): boolean {
    return this.#deciding !== undefined
  }

  add(failure: UpstreamFailure): void {
    if (failure.rejection?.kind === 'rate_limited') {
      this.#limitedMs = Math.min(this.#limitedMs, failure.retryAfterMs ?? DEFAULT_RETRY_SECONDS * 1_000)
    }
    if (!this.#deciding || weightOf(failure) >= weightOf(this.#deciding)) this.#deciding = failure
  }

  /**
   * The answer for the caller. `brokenMs`: when a provider that could not be asked, as its breaker is open, may be asked again.
   * `before`: how many messages the gateway has put before the caller's.
   */
  answer({ brokenMs, before }: { brokenMs: number | undefined; before: number }): InvokeFailure {
    const { failure, rejection } = this.#deciding ?? {}
    if (rejection?.kind === 'rate_limited') return rateLimited(this.#limitedMs)
    if (brokenMs !== undefined && (!this.#deciding || weightOf(this.#deciding) < PASSING)) {
      return { code: 'PROVIDER_ERROR', fields: { headers: { 'retry-after': String(seconds(brokenMs)) } } }
    }
    if (rejection?.kind === 'refused') return refused(rejection, before)
    if (rejection) return { code: 'PROVIDER_ERROR', fields: { message: OPERATORS_FAULT, headers: { 'x-should-retry': 'false' } } }
    return { code: failure === 'timeout' ? 'PROVIDER_TIMEOUT' : 'PROVIDER_ERROR', fields: {} }
  }
}

const OPERATORS_FAULT = 'The model provider does not accept this gateway at the moment; its operators have been told.'

const PASSING = 2
const OPERATORS = 1
const MODEL = 0
/** A refusal that ends the run: nothing comes after it. */
const LASTING = 3

function weightOf({ rejection }: UpstreamFailure): number {
  if (!rejection || rejection.kind === 'rate_limited') return PASSING
  if (rejection.kind !== 'refused') return OPERATORS
  return rejection.code === 'model_not_found' ? MODEL : LASTING
}

function refused({ code, param }: Extract<UpstreamFailure['rejection'], { kind: 'refused' }>, before: number): InvokeFailure {
  const own = toClientParam(param, before)
  return {
    code: 'VALIDATION_ERROR',
    fields: {
      message: `The model provider refused the request. ${PROVIDER_CODES[code]}`,
      ...(own !== undefined && { param: own }),
      details: { reason: 'provider_refused', provider_code: code },
      headers: { 'x-should-retry': 'false' },
    },
  }
}

function rateLimited(limitedMs: number): InvokeFailure {
  const wait = Math.min(seconds(limitedMs), MAX_RETRY_SECONDS)
  return {
    code: 'RATE_LIMITED',
    fields: {
      message: `The model provider's own rate limit is reached; it is not the gateway's. Try again in ${wait} s.`,
      details: { reason: 'provider_rate_limited' },
      headers: { 'retry-after': String(wait) },
    },
  }
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))
