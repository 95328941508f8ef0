import type { Dispatcher } from 'undici'
import { elapsed } from '../../platform/lib/clock.ts'
import { type HttpFailure, type HttpRequest, type HttpResponse, sendHttpRequest } from '../../platform/lib/http-request.ts'
import type { Authorize } from './adapter.ts'

/** Where requests go, and what every request carries. */
export interface Target {
  readonly dispatcher: Dispatcher
  /** In undici's form: name, value, name, value … */
  readonly headers: readonly string[]
  /** undefined: the headers are complete. */
  readonly authorize: Authorize | undefined
}

/** Sends a request with the target's headers and authorization. The time limit covers both. A failure is a value. */
export async function sendToProvider(
  { dispatcher, headers, authorize }: Target,
  request: Omit<HttpRequest, 'headers'>,
): Promise<HttpResponse | HttpFailure> {
  if (!authorize) return sendHttpRequest(dispatcher, { ...request, headers })
  const startedAt = elapsed()
  const authorized = await authorize({ ...request, headers })
  if (!authorized.ok) return authorized
  const timeoutMs = Math.max(1, request.timeoutMs - (elapsed() - startedAt))
  return sendHttpRequest(dispatcher, { ...request, headers: authorized.headers, timeoutMs })
}

/** The target with further values of headers. */
export function withHeaders(target: Target, values: Readonly<Record<string, string>>): Target {
  if (Object.keys(values).length === 0) return target
  const headers = [...target.headers]
  for (const [name, value] of Object.entries(values)) {
    const at = headers.findIndex((header, index) => index % 2 === 0 && header === name)
    if (at < 0) headers.push(name, value)
    else headers[at + 1] = `${headers[at + 1]},${value}`
  }
  return { ...target, headers }
}
