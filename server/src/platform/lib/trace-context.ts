import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** The position of a request in a distributed trace (W3C Trace Context). Ids are lower-case hex. */
export interface TraceContext {
  readonly traceId: string
  /** The client's span; undefined: the trace begins here. */
  readonly parentId: string | undefined
  /** The parent span of upstream requests. */
  readonly spanId: string
  readonly flags: string
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

const storage = new AsyncLocalStorage<TraceContext>()

export const runInTrace = <T>(context: TraceContext, work: () => T): T => storage.run(context, work)
/** The trace of the current request; undefined outside of a request, or if it has no trace. */
export const currentTrace = (): TraceContext | undefined => storage.getStore()

/** Whether a trace is recorded. `parentIsSampled`: the flag of the client; undefined: the trace begins here. */
export type Sample = (traceId: string, parentIsSampled: boolean | undefined) => boolean

/**
 * Reads the trace from a request's headers. With `sample`, this server creates spans with their own ids; otherwise the client's span is the
 * parent of upstream requests. An invalid header counts as missing. `tracestate` and `baggage` are never forwarded: no detector reads them.
 */
export function traceContext(
  { traceparent }: Readonly<Record<string, string | string[] | undefined>>,
  sample?: Sample,
): TraceContext | undefined {
  const client = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  if (sample === undefined) return client && { ...client, spanId: client.parentId }
  const traceId = client?.traceId ?? newHex(16)
  const isSampled = sample(traceId, client && (Number.parseInt(client.flags, 16) & 1) === 1)
  return { traceId, parentId: client?.parentId, spanId: newHex(8), flags: isSampled ? '01' : '00' }
}

/** Runs work in a new span below the current one. Without a recorded trace it runs in the current trace, and gets no span. */
export function runInChildSpan<T>(work: (span: TraceContext | undefined) => T): T {
  const current = storage.getStore()
  if (current === undefined || current.parentId === current.spanId) return work(undefined)
  const span = { ...current, parentId: current.spanId, spanId: newHex(8) }
  return storage.run(span, () => work(span))
}

/** The current trace as the value of `traceparent`, which is also stored with later work; null: none. */
export function currentTraceparent(): string | null {
  const context = storage.getStore()
  return context ? `00-${context.traceId}-${context.spanId}-${context.flags}` : null
}

/** Runs work in its stored trace, or outside of any trace if none was stored. `sample`: see traceContext. */
export function runInStoredTrace<T>(traceparent: string | null, sample: Sample | undefined, work: () => T): T {
  const context = traceContext({ traceparent: traceparent ?? undefined }, sample)
  return context ? storage.run(context, work) : storage.exit(work)
}

export const runOutsideTrace = <T>(work: () => T): T => storage.exit(work)

function parseTraceparent(header: string): { traceId: string; parentId: string; flags: string } | undefined {
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(header.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  // Later versions may have other flags than `sampled`.
  return { traceId, parentId, flags: version === '00' ? flags : Number.parseInt(flags, 16) & 1 ? '01' : '00' }
}

const newHex = (bytes: number): string => randomBytes(bytes).toString('hex')
