import { isObject, parseJsonObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { type Rejection, readRejection } from './rejection.ts'

/** The status that the API has for an error of this type when it occurs before the stream. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  BadRequestError: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  insufficient_quota: 429,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
}

/** The meaning of an error in a stream: that of the same error before it. `json`: the event. Returns undefined for an outage. */
export function readErrorEvent(json: string): Rejection | undefined {
  const body = Buffer.from(json)
  const event = parseJsonObject(body)
  const error = isObject(event?.error) ? event.error : event
  if (!error) return undefined
  const known = [error.type, error.code].map(textOf).find((name) => Object.hasOwn(STATUSES, name))
  // OpenRouter and vLLM send the status as `code`.
  const status = known === undefined ? Number(error.code) : (STATUSES[known] ?? 0)
  return readRejection({ ok: false, failure: 'status', status, body })
}
