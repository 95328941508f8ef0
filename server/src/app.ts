import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { adminRoutes } from './admin/admin-routes.ts'
import type { Context } from './context.ts'
import { dashboardRoutes } from './dashboard/dashboard-routes.ts'
import { gatewayRoutes } from './gateway/gateway-routes.ts'
import { respondToClientError } from './http/client-errors.ts'
import { handleErrors } from './http/error-responses.ts'
import { closeOnlyIdleConnections } from './http/idle-connections.ts'
import { limitLargeBodies, OTHER_BODY_BYTES } from './http/large-bodies.ts'
import { NODE_OPTIONS, respondInsteadOfNode } from './http/node-responses.ts'
import { collectOpenApi, serveOpenApi } from './http/openapi.ts'
import { addBaseUrl } from './http/public-base.ts'
import { requestIdOf, sendRequestId } from './http/request-id.ts'
import { securityHeaders, sendSecurityHeaders } from './http/security-headers.ts'
import { SCHEMA_COMPILERS } from './http/serializers.ts'
import { closeStalledConnections } from './http/stalled-clients.ts'
import { traceRequests } from './http/trace-request.ts'
import { messagingRoutes } from './messaging/messaging-routes.ts'
import { signInRoutes } from './operators/sign-in-routes.ts'
import { telemetryRoutes } from './telemetry/telemetry-routes.ts'
import { API_VERSION } from './version.ts'

/** Longest time for a client to send headers and body. */
const REQUEST_TIMEOUT_MS = 60_000

/** All routes of the server. */
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
    // Requests on open connections are served as usual while the server drains (http/drain.ts).
    return503OnClosing: false,
    http: NODE_OPTIONS,
    schemaController: { compilersFactory: SCHEMA_COMPILERS },
  })
  addBaseUrl(app, { ...context.config.signIn, host: context.config.host })
  traceRequests(app, context.tracing.sample)
  sendRequestId(app)
  sendSecurityHeaders(app, headers)
  respondInsteadOfNode(app)
  context.drain.watch(app, context.shutdown)
  closeOnlyIdleConnections(app)
  closeStalledConnections(app)
  handleErrors(app)
  limitLargeBodies(app, context.config.sizes.bodyBytesInFlight)
  logResponses(app)
  await collectOpenApi(app, API_VERSION, context.config.signIn.publicUrl)
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
function logResponses(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
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
