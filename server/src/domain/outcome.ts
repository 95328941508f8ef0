import type { ErrorCode, ErrorFields } from '../errors.ts'

/**
 * How a request ended. A refusal is a value; a breakdown arrives as an exception and becomes `failed` at one place, the
 * pipeline. The record and the response are both made from this.
 */
export type Outcome =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly fields: ErrorFields }
  /** A reviewer decides. `itemId`: the item that is pending already; without it the record stage opens one. */
  | { readonly kind: 'held'; readonly point: 'input' | 'output'; readonly itemId?: string }
  | { readonly kind: 'failed'; readonly cause: unknown }

/** Returned by a stage that ends the run: the outcome, and the stage's result as far as it came. */
export class Stop<T> {
  readonly outcome: Outcome
  readonly partial: T | undefined

  constructor(outcome: Outcome, partial?: T) {
    this.outcome = outcome
    this.partial = partial
  }
}

/** Returned by a stage that had nothing to do for this request; the record shows it as skipped. Default: its neutral result. */
export class Skipped<T> {
  readonly value: T | undefined

  constructor(value?: T) {
    this.value = value
  }
}

export type StageReturn<T> = T | Skipped<T> | Stop<T>

export const refuse = <T>(code: ErrorCode, fields: ErrorFields = {}, partial?: T): Stop<T> =>
  new Stop({ kind: 'refused', code, fields }, partial)

/** A request that a rate limit refuses. */
interface LimitRefusal {
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  readonly limit: string
}

export const rateLimited = <T>({ message, headers, limit }: LimitRefusal, partial?: T): Stop<T> =>
  refuse('RATE_LIMITED', { message, headers, details: { limit } }, partial)
