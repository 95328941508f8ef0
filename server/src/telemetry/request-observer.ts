import type { Logger } from 'pino'
import type { ProviderAttempt } from '../domain/completion.ts'
import { currentTrace } from '../lib/trace-context.ts'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './request-span.ts'

/** One finished exchange, as far as telemetry may know it: names and numbers, never content. */
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
  /** Unix milliseconds. */
  readonly startedAt: number
  /** The private side of a failure. */
  readonly cause: unknown
}

/** Tells counters, spans and, where something broke, the log. */
export const requestObserver =
  ({ metrics, tracing, log }: { metrics: Metrics; tracing: Tracing; log: Logger }) =>
  (request: FinishedRequest): void => {
    metrics.observe({ ...request, seconds: request.ms / 1_000 })
    tracing.recordSpan({ ...request, trace: currentTrace() })
    if (request.cause === undefined) return
    const { requestId: reqId, auditId: audit_id, endpoint, code } = request
    log.error({ reqId, audit_id, endpoint, code, err: request.cause }, 'exchange failed')
  }
