import type { Logger } from 'pino'
import type { ProviderAttempt } from '../../shared/completion.ts'
import { currentTrace } from '../lib/trace-context.ts'
import type { Metrics, ReleasedText } from './metrics.ts'
import type { Tracing } from './request-span.ts'

/** Names and numbers of a finished request. Never content. */
export interface FinishedRequest {
  readonly endpoint: string
  readonly requestId: string
  readonly auditId: string | undefined
  readonly status: number
  readonly code: string
  readonly verdict: string
  readonly model: string
  readonly provider: string
  readonly held: boolean
  readonly ms: number
  readonly stages: readonly { readonly name: string; readonly outcome: string; readonly startMs: number; readonly ms: number }[]
  readonly attempts: readonly ProviderAttempt[]
  readonly released: ReleasedText | undefined
  readonly deniedEarly: boolean
  /** Whether the request has used more than its budgets had set aside. */
  readonly overran: boolean
  /** Unix milliseconds. */
  readonly startedAt: number
  /** The error behind a failure, for the log only; undefined: no failure. */
  readonly cause: unknown
}

/** Returns a function that records a finished request in metrics and traces, and logs its failure. */
export const requestObserver =
  ({ metrics, tracing, log }: { metrics: Metrics; tracing: Tracing; log: Logger }) =>
  (request: FinishedRequest): void => {
    metrics.observe({ ...request, seconds: request.ms / 1_000 })
    tracing.recordSpan({ ...request, trace: currentTrace() })
    if (request.cause === undefined) return
    const { requestId: reqId, auditId: audit_id, endpoint, code } = request
    log.error({ reqId, audit_id, endpoint, code, err: request.cause }, 'request failed')
  }
