import type { Dispatcher } from 'undici'
import { elapsed } from '../lib/clock.ts'
import { type HttpFailure, type HttpRequest, type HttpResponse, sendHttpRequest } from '../lib/http-request.ts'
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
