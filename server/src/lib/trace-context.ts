import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** Where a request stands in a distributed trace (W3C Trace Context). Ids are lower-case hex. */
export interface TraceContext {
  readonly traceId: string
  /** The caller's span; undefined: the trace begins here. */
  readonly parentId: string | undefined
  /** What calls made for the request name as their parent. */
  readonly spanId: string
  readonly flags: string
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

const storage = new AsyncLocalStorage<TraceContext>()

export const runInTrace = <T>(context: TraceContext, work: () => T): T => storage.run(context, work)
/** Of the request that this code runs for; undefined outside of one, or where it has none. */
export const currentTrace = (): TraceContext | undefined => storage.getStore()

/**
 * The context that the headers of a request ask for. `recording`: spans are made here, with ids of their own; else the caller's span
 * stays the parent of what is called. A header that is not valid counts as absent. `tracestate` is not read and goes nowhere: it is text of
 * the caller's choice, and no detector would see it.
 */
export function traceContext(
  { traceparent }: Readonly<Record<string, string | string[] | undefined>>,
  recording: boolean,
): TraceContext | undefined {
  const caller = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  if (caller === undefined) {
    return recording ? { traceId: newHex(16), parentId: undefined, spanId: newHex(8), flags: '01' } : undefined
  }
  const { traceId, parentId, flags } = caller
  return { traceId, parentId, spanId: recording ? newHex(8) : parentId, flags }
}

/** The current trace as a header names it, and as it is stored with work that is done later; null: there is none. */
export function currentTraceparent(): string | null {
  const context = storage.getStore()
  return context ? `00-${context.traceId}-${context.spanId}-${context.flags}` : null
}

/** The header that carries the current trace on. Never tracestate or baggage. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = currentTraceparent()
  return traceparent === null ? {} : { traceparent }
}

/** Does later work in the trace that was stored with it, `recording` as above; without one, in no trace of anything else. */
export function runInStoredTrace<T>(traceparent: string | null, recording: boolean, work: () => T): T {
  const context = traceContext({ traceparent: traceparent ?? undefined }, recording)
  return context ? storage.run(context, work) : storage.exit(work)
}

/** Does work that belongs to no request, whichever one has begun it. */
export const runOutsideTrace = <T>(work: () => T): T => storage.exit(work)

function parseTraceparent(header: string): { traceId: string; parentId: string; flags: string } | undefined {
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(header.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  // Of a later version only the sampled flag is known.
  return { traceId, parentId, flags: version === '00' ? flags : Number.parseInt(flags, 16) & 1 ? '01' : '00' }
}

const newHex = (bytes: number): string => randomBytes(bytes).toString('hex')
