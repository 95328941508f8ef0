import type { ErrorCode, ErrorFields } from '../errors.ts'
import { type Decision, decidingRules, type PolicyPoint } from './decision.ts'

/** A refusal is a value; a breakdown is an exception, which the pipeline turns into `failed`. */
export type Outcome =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly fields: ErrorFields }
  /** A reviewer decides. `itemId`: the item that is pending already, which expires at `expiresAt`; without it the record stage opens one. */
  | {
      readonly kind: 'held'
      readonly point: 'input' | 'output'
      readonly itemId?: string
      readonly expiresAt?: Date
      /** The question of a reviewer to the requester. */
      readonly question?: string | undefined
      /** Of a request that a reviewer may release, in USD. Undefined: unknown. */
      readonly expectedCost?: number | undefined
    }
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

export const denyByPolicy = <T>(decision: Decision, point: PolicyPoint, partial?: T): Stop<T> =>
  refuse('POLICY_DENIED', { details: { rules: decidingRules(decision), point } }, partial)

/** Refuses a request because detectors or transforms failed (GW-SAFE-1). */
export const denyByFault = <T>(failed: readonly string[], partial?: T): Stop<T> =>
  refuse('POLICY_DENIED', { details: { failed } }, partial)

interface LimitRefusal {
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  readonly limit: string
}

export const rateLimited = <T>({ message, headers, limit }: LimitRefusal, partial?: T): Stop<T> =>
  refuse('RATE_LIMITED', { message, headers, details: { limit } }, partial)

/** Another user's stored response, and an expired or deleted one, look like one that does not exist. */
export const RESPONSE_NOT_FOUND: Outcome = { kind: 'refused', code: 'NOT_FOUND', fields: { message: 'Response not found.' } }
