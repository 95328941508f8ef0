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
  readonly state: string | undefined
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const STATE_MEMBER = /^[a-z\d][a-z\d_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/
const STATE_LENGTH = 512
const STATE_MEMBERS = 32

const storage = new AsyncLocalStorage<TraceContext>()

export const runInTrace = <T>(context: TraceContext, work: () => T): T => storage.run(context, work)
/** Of the request that this code runs for; undefined outside of one, or where it has none. */
export const currentTrace = (): TraceContext | undefined => storage.getStore()

/**
 * The context that the headers of a request ask for. `recording`: spans are made here, with ids of their own; else the caller's span
 * stays the parent of what is called. Headers that are not valid count as absent.
 */
export function traceContext(
  { traceparent, tracestate }: Readonly<Record<string, string | string[] | undefined>>,
  recording: boolean,
): TraceContext | undefined {
  const caller = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  if (caller === undefined) {
    return recording ? { traceId: newHex(16), parentId: undefined, spanId: newHex(8), flags: '01', state: undefined } : undefined
  }
  const { traceId, parentId, flags } = caller
  return { traceId, parentId, spanId: recording ? newHex(8) : parentId, flags, state: parseState(tracestate) }
}

/** The headers that carry the current trace on. Never baggage. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const context = storage.getStore()
  if (context === undefined) return {}
  const { traceId, spanId, flags, state } = context
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state !== undefined && { tracestate: state }) }
}

function parseTraceparent(header: string): { traceId: string; parentId: string; flags: string } | undefined {
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(header.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  // Of a later version only the sampled flag is known.
  return { traceId, parentId, flags: version === '00' ? flags : Number.parseInt(flags, 16) & 1 ? '01' : '00' }
}

function parseState(header: string | string[] | undefined): string | undefined {
  const text = [header ?? []].flat().join(',')
  if (text === '' || text.length > STATE_LENGTH) return undefined
  const members = text.split(',').flatMap((member) => member.trim() || [])
  const isValid = members.length > 0 && members.length <= STATE_MEMBERS && members.every((member) => STATE_MEMBER.test(member))
  return isValid ? members.join(',') : undefined
}

const newHex = (bytes: number): string => randomBytes(bytes).toString('hex')
