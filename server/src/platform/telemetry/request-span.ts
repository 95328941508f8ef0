import type { ProviderAttempt } from '../../shared/completion.ts'
import type { ProviderCall } from '../../shared/provider-call.ts'
import type { Sample, TraceContext } from '../lib/trace-context.ts'

/** A request as a span, with a child for each stage that was not skipped. Names and numbers only, never content. */
export interface RequestSpan {
  readonly endpoint: string
  readonly requestId: string
  readonly auditId: string | undefined
  readonly status: number
  readonly model: string
  readonly provider: string
  readonly attempts: readonly ProviderAttempt[]
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly ms: number
  /** Absent if the request has no trace. */
  readonly trace?: TraceContext | undefined
  readonly stages: readonly { readonly name: string; readonly outcome: string; readonly startMs: number; readonly ms: number }[]
}

export interface Tracing {
  /** Decides which traces are recorded; undefined: none, so requests get no span ids. */
  readonly sample: Sample | undefined
  /** Call it once, after the response. Until then a request has only ids, so spans cost nothing while it runs. */
  recordSpan(span: RequestSpan): void
  /** Call it after each request to a provider. */
  recordCall(call: ProviderCall): void
  close(): Promise<void>
}

export const NO_TRACING: Tracing = { sample: undefined, recordSpan: () => {}, recordCall: () => {}, close: async () => {} }
