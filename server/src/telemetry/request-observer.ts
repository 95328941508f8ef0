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
export const exchangeObserver =
  ({ metrics, tracing, log }: { metrics: Metrics; tracing: Tracing; log: Logger }) =>
  (exchange: FinishedRequest): void => {
    metrics.observe({ ...exchange, seconds: exchange.ms / 1_000 })
    tracing.exchange({ ...exchange, trace: currentTrace() })
    if (exchange.cause === undefined) return
    const { requestId: reqId, auditId: audit_id, endpoint, code } = exchange
    log.error({ reqId, audit_id, endpoint, code, err: exchange.cause }, 'exchange failed')
  }
