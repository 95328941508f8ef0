import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Metrics } from './metrics.ts'

export interface TelemetryRouteDeps {
  readonly metrics: Metrics
  /** Rejects when the server could not take a request now: database gone, shutting down. */
  readonly ready: () => Promise<void>
}

const Status = Type.Object({ status: Type.String() })

/** For the machines that watch over this one. They need no key and show no names. */
export async function telemetryRoutes(app: FastifyInstance, { metrics, ready }: TelemetryRouteDeps): Promise<void> {
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
  app.get('/metrics', { schema: { tags: ['server'], summary: 'Prometheus metrics.' } }, async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
}
