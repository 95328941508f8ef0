import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode, type ErrorFields, errorBody, GatehouseError } from '../../errors.ts'
import { isUnavailable, Unavailable } from '../../platform/lib/unavailable.ts'

interface ErrorEnvelope {
  readonly error: Readonly<Record<string, unknown>> & { readonly code: string; readonly message: string }
  readonly [field: string]: unknown
}

declare module 'fastify' {
  interface FastifyReply {
    errorCode: ErrorCode | undefined
    /** Ends a stream that has begun with the error event of its API. `envelope`: the body of the same error without a stream. */
    errorEvent?: (envelope: ErrorEnvelope) => string
  }
  interface FastifyContextConfig {
    /** Makes the error body of routes whose clients expect another envelope. */
    readonly errorBody?: (code: ErrorCode, fields: ErrorFields, base: string | undefined, requestId: string) => ErrorEnvelope
  }
}

const NO_RETRY_AFTER_SECONDS = 60

/** Statuses that do not change by repeating the request. OpenAI clients would repeat some of them (GW-RETRY-1). */
const NEVER_RETRY = new Set([403, 409, 410, 422])

export function sendError(reply: FastifyReply, code: ErrorCode, fields: ErrorFields = {}): FastifyReply {
  const { status } = ERRORS[code]
  reply.errorCode = code
  const retryAfter = Number(fields.headers?.['retry-after'] ?? 0)
  // Hooks do not run for a malformed path.
  reply.header('x-request-id', reply.request.id)
  if (fields.headers) reply.headers(fields.headers)
  if (fields.auditId !== undefined) reply.header('x-audit-id', fields.auditId)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  // Clients do not wait longer than a minute: they would come back too early.
  if (NEVER_RETRY.has(status) || retryAfter > NO_RETRY_AFTER_SECONDS) reply.header('x-should-retry', 'false')
  return reply
    .status(status)
    .type('application/json')
    .serializer(JSON.stringify)
    .send(errorBodyOf(reply, code, fields))
}

/** The error body of the API that the request is for. */
export function errorBodyOf(
  { request, server: { publicUrl } }: FastifyReply,
  code: ErrorCode,
  fields: ErrorFields,
): ErrorEnvelope {
  const own = request.routeOptions?.config?.errorBody
  return own ? own(code, fields, publicUrl, request.id) : errorBody(code, fields, publicUrl)
}

/** Error codes of Fastify's errors. All others are INTERNAL; their text is only logged. */
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

const codeOf = (error: FastifyError): ErrorCode =>
  error.statusCode === 400 ? 'VALIDATION_ERROR' : isUnavailable(error) ? 'UNAVAILABLE' : 'INTERNAL'

/** A failure of a provider is no fault of the server: the code that reports it logs its cause in one line. */
const isUnexpected = ({ code }: GatehouseError): boolean => ERRORS[code].status >= 500 && !code.startsWith('PROVIDER_')

function tooLarge({ routeOptions: { bodyLimit: limit, config } }: FastifyRequest): ErrorFields {
  const setting = config.bodySetting
  const message = `The body must have at most ${limit} bytes${setting === undefined ? '' : ` (${setting})`}.`
  // The rest of the body is read and dropped: if the connection were closed, a client that still sends would lose the response.
  return { message, details: { limit, ...(setting && { setting }) }, headers: { connection: 'keep-alive' } }
}

const notFoundText = (url: string): string =>
  url.startsWith('/v1/v1/')
    ? 'Path not found: it has /v1 twice. Remove /v1 from the base URL of the client, which adds it, as the SDKs of Anthropic do.'
    : 'Path not found.'

/** Sends every error, unknown path and wrong method in the error envelope. */
export function handleErrors(app: FastifyInstance): void {
  app.decorateReply('errorCode', undefined)
  const routes: { method: string; segments: string[] }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    // Preflights are handled only for origins that an Application allows (api/gateway/cors.ts).
    for (const name of [method].flat()) if (name !== 'OPTIONS') routes.push({ method: name, segments: url.split('/') })
  })

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof GatehouseError) {
      if (isUnexpected(error)) request.log.error({ err: error.cause ?? error }, error.code)
      return sendError(reply, error.code, error.fields)
    }
    const code = FRAMEWORK_CODES[error.code] ?? codeOf(error)
    if (ERRORS[code].status >= 500) request.log.error({ err: error }, 'request failed')
    const message = error instanceof Unavailable ? error.message : ''
    return sendError(reply, code, code === 'PAYLOAD_TOO_LARGE' ? tooLarge(request) : { ...(message && { message }) })
  })

  const methodsOf = (path: string): string[] => {
    const requested = path.split('/')
    const matches = (segments: string[]) =>
      segments.length === requested.length &&
      segments.every((part, i) => part === requested[i] || (part.startsWith(':') && requested[i]))
    return [...new Set(routes.filter(({ segments }) => matches(segments)).map(({ method }) => method))]
  }
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const allowed = methodsOf(request.url.split('?', 1)[0] ?? '')
    if (allowed.length === 0) return sendError(reply, 'NOT_FOUND', { message: notFoundText(request.url) })
    return sendError(reply, 'METHOD_NOT_ALLOWED', { headers: { allow: allowed.join(', ') } })
  })
}
