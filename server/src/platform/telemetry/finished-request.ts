import type { ProviderAttempt } from '../../shared/completion.ts'
import type { ProviderCall } from '../../shared/provider-call.ts'
import type { Sample, TraceContext } from '../lib/trace-context.ts'

/** Names and numbers of a finished request. Never content, keys or tokens. */
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
  /** Characters released before the verdict (`windowed`) and after it (`validated`, decision 0025); undefined: the endpoint has none. */
  readonly released: { readonly windowed: number; readonly validated: number } | undefined
  /** Whether the provider was stopped because the denial was certain. */
  readonly deniedEarly: boolean
  /** Whether the request has used more than its budgets had set aside. */
  readonly overran: boolean
  /** Unix milliseconds. */
  readonly startedAt: number
  /** The error behind a failure, for the log only; undefined: no failure. */
  readonly cause: unknown
}

export interface Tracing {
  /** Decides which traces are recorded; undefined: none, so requests get no span ids. */
  readonly sample: Sample | undefined
  /** Call it once, after the response. Until then a request has only ids, so spans cost nothing while it runs. */
  recordSpan(request: FinishedRequest, trace: TraceContext | undefined): void
  recordCall(call: ProviderCall): void
  close(): Promise<void>
}

export const NO_TRACING: Tracing = { sample: undefined, recordSpan: () => {}, recordCall: () => {}, close: async () => {} }
