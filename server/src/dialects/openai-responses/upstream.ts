import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import type { ReportedFailure, UpstreamDialect } from '../upstream-dialect.ts'
import { encodeRequest } from './upstream-request.ts'
import { readResponse } from './upstream-response.ts'
import { ResponseCollector } from './upstream-stream.ts'

export const responsesUpstream: UpstreamDialect = {
  encode: encodeRequest,
  collect: () => new ResponseCollector(),
  read: readResponse,
  readFailure,
  chatParamOf,
}

/** Codes of errors that the request has caused. All others are outages. */
const CAUSED_BY_REQUEST =
  /^(?:invalid_|image_|empty_image|unsupported_image|failed_to_download_image|context_length|bio_policy|content_)/
const LIMITS: ReadonlySet<string> = new Set(['rate_limit_exceeded', 'insufficient_quota'])

/** Reads a response object with the status `failed`, which comes with the HTTP status 200. */
export function readFailure(value: Fields): ReportedFailure | undefined {
  if (value.object !== 'response' || value.status !== 'failed') return undefined
  const code = isObject(value.error) ? textOf(value.error.code) : ''
  const message = isObject(value.error) ? textOf(value.error.message) : ''
  const status = LIMITS.has(code) ? 429 : CAUSED_BY_REQUEST.test(code) ? 400 : 500
  const hasOutput = Array.isArray(value.output) && value.output.length > 0
  return { status, body: Buffer.from(JSON.stringify({ error: { code, message } })), hasOutput }
}

/** The longest match counts. */
const CHAT_FIELDS: readonly (readonly [string, string])[] = [
  ['text.format', 'response_format'],
  ['text.verbosity', 'verbosity'],
  ['reasoning', 'reasoning_effort'],
  ['tools', 'tools'],
  ['tool_choice', 'tool_choice'],
  // Items and messages are counted differently.
  ['input', 'messages'],
]

/** `text.format.schema` is `response_format`. */
function chatParamOf(param: string): string | undefined {
  const known = CHAT_FIELDS.find(([field]) => param === field || param.startsWith(`${field}.`) || param.startsWith(`${field}[`))
  return known ? known[1] : /^[a-z_]+$/.test(param) ? param : undefined
}
