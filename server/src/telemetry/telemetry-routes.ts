import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { GatehouseError } from '../errors.ts'
import type { Metrics } from './metrics.ts'

export interface TelemetryRouteDeps {
  readonly metrics: Metrics
  /** Rejects when the server could not take a request now: database gone, shutting down. */
  readonly ready: () => Promise<void>
  readonly secrets: { readonly metricsToken: string | undefined }
}

const Status = Type.Object({ status: Type.String() })

/** For the machines that watch over this one. They show no names, and need no key but the metrics token where one is set. */
export async function telemetryRoutes(app: FastifyInstance, { metrics, ready, secrets }: TelemetryRouteDeps): Promise<void> {
  app.get(
    '/healthz',
    { schema: { tags: ['server'], summary: 'The process is alive.', response: { 200: Status } } },
    async () => ({
      status: 'ok',
    }),
  )
  const readySchema = { tags: ['server'], summary: 'The server can take requests.', response: { 200: Status, 503: Status } }
  app.get('/readyz', { schema: readySchema }, async (request, reply) => {
    try {
      await ready()
      return { status: 'ready' }
    } catch (error) {
      request.log.warn({ err: error }, 'not ready')
      return reply.status(503).send({ status: 'not ready' })
    }
  })
  app.get(
    '/metrics',
    { schema: { tags: ['server'], summary: 'Prometheus metrics. With GATEHOUSE_METRICS_TOKEN set, for its bearer only.' } },
    async (request, reply) => {
      refuseStranger(request.headers.authorization, secrets.metricsToken)
      return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
    },
  )
}

/** Throws a 401 unless the header has the token, where one is set. Hashes are compared: they have one length. */
function refuseStranger(authorization: string | undefined, token: string | undefined): void {
  if (token === undefined) return
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  if (timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'))) return
  throw new GatehouseError('AUTH_INVALID_KEY', { message: '/metrics needs the metrics token of this server as a bearer token.' })
}
