import type { Application } from '../../shared/principal.ts'
import type { LimitName } from './limit-headers.ts'

/** The share of the limits that an admitted request uses until its response is sent. */
export interface Lease {
  /** Headers `RateLimit-Policy` and `RateLimit`, as of the last charge. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Charges the request to its user's limit; an empty id has no limit. On a refusal the Application's rate is refunded. Only the
   * first call counts, because a request that waited for a reviewer passes the stages again. A promise only if other nodes have to be
   * asked.
   */
  chargeUser(userId: string): RateRefusal | undefined | Promise<RateRefusal | undefined>
  /**
   * Gives the concurrency slot back while `wait` runs, then acquires one again. Returns false if `wait` returned false or no slot
   * became free in time.
   */
  suspendWhile(wait: () => Promise<boolean>): Promise<boolean>
  /**
   * Gives the concurrency slot back and replaces the estimated tokens by the actual ones: 0 if no provider was called. Without a
   * number the estimate stays charged. Only the first call counts.
   */
  release(actualTokens?: number): void
}

/** The lease of a request that no limit applies to. */
export const UNLIMITED: Lease = {
  headers: {},
  chargeUser: () => undefined,
  suspendWhile: (wait) => wait(),
  release: () => {},
}

export interface RateRefusal {
  readonly ok: false
  readonly limit: LimitName
  /** Whole seconds, at least 1; also in `headers`. */
  readonly retryAfterSeconds: number
  /** Public text: the limit, its owner, and when to retry. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

export type Admission = { readonly ok: true; readonly lease: Lease } | RateRefusal

export type LimitedApplication = Pick<Application, 'id' | 'limits' | 'restrictions'>
