import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { RateRefusal } from '../limits/limiter.ts'

/**
 * How an exchange ended. A refusal is a value; a breakdown arrives as an exception and becomes `failed` at one place, the
 * pipeline. The record and the answer are both made from this.
 */
export type Outcome =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly fields: ErrorFields }
  /** A person decides. `itemId` names the item that is pending already; without it the record stage opens one. */
  | { readonly kind: 'held'; readonly point: 'input' | 'output'; readonly itemId?: string }
  | { readonly kind: 'failed'; readonly cause: unknown }

/** What a stage answers when the walk ends with it: the outcome, and what the stage had found out until then. */
export class Stop<T> {
  readonly outcome: Outcome
  readonly known: T | undefined

  constructor(outcome: Outcome, known?: T) {
    this.outcome = outcome
    this.known = known
  }
}

/** What a stage answers when there was nothing to do for this exchange; written down as skipped. */
export class Passed<T> {
  readonly value: T

  constructor(value: T) {
    this.value = value
  }
}

export type Step<T> = T | Passed<T> | Stop<T>

export const refuse = <T>(code: ErrorCode, fields: ErrorFields = {}, known?: T): Stop<T> =>
  new Stop({ kind: 'refused', code, fields }, known)

export const rateLimited = <T>({ message, headers, limit }: RateRefusal, known?: T): Stop<T> =>
  refuse('RATE_LIMITED', { message, headers, details: { limit } }, known)
