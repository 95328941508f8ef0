import type { Socket } from 'node:net'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { adminRoutes } from './api/admin/admin-routes.ts'
import { signInRoutes } from './api/admin/operators/sign-in-routes.ts'
import { dashboardRoutes } from './api/dashboard/dashboard-routes.ts'
import { gatewayRoutes } from './api/gateway/gateway-routes.ts'
import { watchConnections } from './api/kit/connections.ts'
import { handleErrors } from './api/kit/error-responses.ts'
import { limitLargeBodies, OTHER_BODY_BYTES } from './api/kit/large-bodies.ts'
import { collectOpenApi, serveOpenApi } from './api/kit/openapi.ts'
import { addBaseUrl } from './api/kit/public-base.ts'
import { requestIdOf } from './api/kit/request-id.ts'
import { SCHEMA_COMPILERS } from './api/kit/serializers.ts'
import { messagingRoutes } from './api/messaging/messaging-routes.ts'
import { telemetryRoutes } from './api/telemetry-routes.ts'
import type { Context } from './context.ts'
import { ERRORS, errorBody, GatehouseError } from './errors.ts'
import type { Config } from './platform/config/config.ts'
import { newId } from './platform/lib/id.ts'
import { runInTrace, type Sample, traceContext } from './platform/lib/trace-context.ts'
import { VERSION } from './version.ts'

/** Responds to malformed HTTP: there is no Fastify request, so the error envelope is written to the socket. */
function respondToClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'PAYLOAD_TOO_LARGE' : 'VALIDATION_ERROR'
  const body = JSON.stringify(errorBody(code, { message: 'The HTTP request is malformed.' }))
  const head = [
    `HTTP/1.1 ${ERRORS[code].status} ${code === 'VALIDATION_ERROR' ? 'Bad Request' : 'Content Too Large'}`,
    'connection: close',
    'content-type: application/json',
    'x-content-type-options: nosniff',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newId('req')}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * Sends the headers of every response, errors and streams included. OpenAI clients read only `x-request-id`. Handles the requests that Node
 * would respond to itself, without error envelope and request id. Needs `requireHostHeader: false`.
 */
function respondFirst(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  // An unknown expectation may be ignored (RFC 9110 §10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', ({ id, raw }, reply, done) => {
    reply.headers(headers).header('x-request-id', id)
    // RFC 9112 §3.2
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
      done(new GatehouseError('VALIDATION_ERROR', { message: 'The Host header is missing.' }))
    } else done()
  })
}

/** Runs each request in the trace of its headers. Starts after the body was read, because reading it loses the context. */
function traceRequests(app: FastifyInstance, sample: Sample | undefined): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const context = traceContext(request.headers, sample)
    if (context === undefined) done()
    else runInTrace(context, done)
  })
}

/** Headers of every response: browsers do not guess the content type, and use https when the public URL does. */
const securityHeaders = (publicUrl: string | undefined): Readonly<Record<string, string>> => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
})

const REQUEST_TIMEOUT_MS = 60_000

export async function createApp(context: Context): Promise<FastifyInstance> {
  const headers = securityHeaders(context.config.signIn.publicUrl)
  const app: FastifyInstance = fastify({
    // The library would log each address at the start; serve.ts logs the address. Requests log with the server's own log.
    loggerInstance: Object.assign(context.log.child({}), { info: () => {} }) as FastifyBaseLogger,
    childLoggerFactory: (_, bindings, options) => context.log.child(bindings, options) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    bodyLimit: Math.min(context.config.sizes.bodyBytes, OTHER_BODY_BYTES),
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A malformed path gets the same 404 as an unknown one.
    routerOptions: { maxParamLength: 256 },
    frameworkErrors: (error, request, reply) => app.errorHandler(error, request, reply.headers(headers)),
    clientErrorHandler: respondToClientError,
    forceCloseConnections: 'idle',
    // Requests on open connections are served as usual while the server drains (api/kit/drain.ts).
    return503OnClosing: false,
    http: { requireHostHeader: false },
    schemaController: { compilersFactory: SCHEMA_COMPILERS },
  })
  addBaseUrl(app, { ...context.config.signIn, host: context.config.host })
  traceRequests(app, context.tracing.sample)
  respondFirst(app, headers)
  context.drain.watch(app, context.shutdown)
  watchConnections(app)
  handleErrors(app)
  limitLargeBodies(app, context.config.sizes.bodyBytesInFlight)
  logResponses(app, context.config)
  await collectOpenApi(app, VERSION, context.config.signIn.publicUrl)
  await app.register(gatewayRoutes, context)
  await app.register(messagingRoutes, context)
  await app.register(adminRoutes, { ...context, prefix: '/admin/v1' })
  await app.register(signInRoutes, { ...context, prefix: '/auth' })
  await app.register(dashboardRoutes)
  await app.register(telemetryRoutes, context)
  await serveOpenApi(app)
  return app
}

/** One log line for each request: enough to find its audit record, without content. */
function logResponses(app: FastifyInstance, { healthPort }: Config): void {
  app.addHook('onResponse', (request, reply, done) => {
    // Probes come every few seconds.
    if (healthPort !== undefined && request.socket.localPort === healthPort) return done()
    const auditId = reply.getHeader('x-audit-id')
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ...(reply.errorCode && { code: reply.errorCode }),
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(auditId === undefined ? {} : { audit_id: auditId }),
      },
      'answered',
    )
    done()
  })
}
