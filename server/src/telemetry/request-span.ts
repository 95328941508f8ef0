import type { TraceContext } from '../lib/trace-context.ts'

/** One exchange as a span with a child for each stage that worked. Names and numbers only, never content. */
export interface RequestSpan {
  readonly endpoint: string
  readonly requestId: string
  readonly auditId: string | undefined
  readonly status: number
  readonly model: string
  readonly provider: string
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly ms: number
  /** Of the request; absent where no request is behind it. */
  readonly trace?: TraceContext | undefined
  readonly stages: readonly { readonly name: string; readonly outcome: string; readonly startMs: number; readonly ms: number }[]
}

export interface Tracing {
  /** Called once, when the exchange is over: only ids travel with the request, so spans cost nothing while it runs. */
  recordSpan(span: RequestSpan): void
  close(): Promise<void>
}
