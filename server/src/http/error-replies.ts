import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode, type ErrorFields, errorBody, GatehouseError } from '../errors.ts'
import { isUnavailable } from '../lib/faults.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The code that was answered, for the log. */
    errorCode: ErrorCode | undefined
  }
}

const NO_RETRY_AFTER_SECONDS = 60

/** Statuses that OpenAI clients would otherwise repeat, or that cannot change by repeating (decisions.md §2.3, Headers). */
const NEVER_RETRY = new Set([403, 409, 410, 422])

/** Sends the one envelope, with the headers that its status asks for. */
export function sendError(reply: FastifyReply, code: ErrorCode, fields: ErrorFields = {}): FastifyReply {
  const { status } = ERRORS[code]
  reply.errorCode = code
  const retryAfter = Number(fields.headers?.['retry-after'] ?? 0)
  // Also where a hook did not get to it: a path that cannot be read is refused before any runs.
  reply.header('x-request-id', reply.request.id)
  if (fields.headers) reply.headers(fields.headers)
  if (fields.auditId !== undefined) reply.header('x-audit-id', fields.auditId)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (NEVER_RETRY.has(status) || (status === 429 && retryAfter > NO_RETRY_AFTER_SECONDS)) reply.header('x-should-retry', 'false')
  return reply.status(status).type('application/json').serializer(JSON.stringify).send(errorBody(code, fields))
}

/** Framework failures in our words; whatever is not listed is INTERNAL, and its text stays in the log. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'VALIDATION_ERROR',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'VALIDATION_ERROR',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
  FST_STATIC_FORBIDDEN_PATH: 'NOT_FOUND',
}

function codeOf(error: FastifyError): ErrorCode {
  if (error.statusCode === 400) return 'VALIDATION_ERROR'
  return isUnavailable(error) ? 'UNAVAILABLE' : 'INTERNAL'
}

/** Says which limit it was, and the setting where there is one. */
function tooLarge({ routeOptions: { bodyLimit: limit, config } }: FastifyRequest): ErrorFields {
  const setting = config.bodySetting
  const named = setting === undefined ? '' : ` (${setting})`
  return { message: `The body must not be larger than ${limit} bytes${named}.`, details: { limit, ...(setting && { setting }) } }
}

export function answerErrors(app: FastifyInstance): void {
  app.decorateReply('errorCode', undefined)
  const routes: { method: string; segments: string[] }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    // Preflights are answered only where an Application allows the origin (gateway/cors.ts).
    for (const one of [method].flat()) if (one !== 'OPTIONS') routes.push({ method: one, segments: url.split('/') })
  })

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof GatehouseError) {
      if (ERRORS[error.code].status >= 500) request.log.error({ err: error.cause ?? error }, error.code)
      return sendError(reply, error.code, error.fields)
    }
    const code = FRAMEWORK_CODES[error.code] ?? codeOf(error)
    if (ERRORS[code].status >= 500) request.log.error({ err: error }, 'request failed')
    return sendError(reply, code, code === 'PAYLOAD_TOO_LARGE' ? tooLarge(request) : {})
  })

  const methodsOf = (path: string): string[] => {
    const asked = path.split('/')
    const fits = (segments: string[]) =>
      segments.length === asked.length && segments.every((part, i) => part === asked[i] || (part.startsWith(':') && asked[i]))
    return [...new Set(routes.filter(({ segments }) => fits(segments)).map(({ method }) => method))]
  }
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const allowed = methodsOf(request.url.split('?', 1)[0] ?? '')
    if (allowed.length === 0) return sendError(reply, 'NOT_FOUND', { message: 'There is no such path.' })
    return sendError(reply, 'METHOD_NOT_ALLOWED', { headers: { allow: allowed.join(', ') } })
  })
}
