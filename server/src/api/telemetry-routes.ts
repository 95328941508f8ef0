import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { GatehouseError } from '../errors.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { READINESS_DEADLINE_MS, type Readiness } from '../platform/telemetry/readiness.ts'
import { type Snapshot, textOf } from '../platform/telemetry/snapshots.ts'
import { sendError } from './kit/error-responses.ts'
import { errorResponses } from './kit/route.ts'

export interface TelemetryRouteDeps {
  readonly metrics: Metrics
  readonly readiness: Readiness
  readonly node: {
    /** Those of all processes of the node, if there are several. */
    readonly metrics: (() => Promise<Snapshot>) | undefined
    readonly askProcesses: () => Promise<readonly { readonly isServing: boolean; readonly answer: boolean | undefined }[]>
  }
  readonly secrets: { readonly metricsToken: string | undefined }
}

const Status = Type.Object({ status: Type.String() })
const Check = Type.Object({
  name: Type.String({ description: 'The check: `database`, `schema` …' }),
  status: Type.Union([Type.Literal('ok'), Type.Literal('degraded'), Type.Literal('fail')], {
    description: '`degraded`: the server handles requests, but an operator must act.',
  }),
  message: Type.Optional(Type.String({ description: 'The problem.' })),
})
const Report = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not ready')]),
    deadline_ms: Type.Integer({ description: 'Timeout of each check.' }),
    checks: Type.Array(Check),
  },
  { title: 'Readiness' },
)

/** Routes for monitoring. They show no names of users and need no key, except the metrics token if one is set. */
export async function telemetryRoutes(
  app: FastifyInstance,
  { metrics, readiness, node, secrets }: TelemetryRouteDeps,
): Promise<void> {
  /** Requests at the same time share one answer. */
  let asked: ReturnType<typeof node.askProcesses> | undefined
  app.get(
    '/healthz',
    {
      schema: {
        tags: ['server'],
        summary: 'Check that the processes are alive',
        response: { 200: Status, ...errorResponses({ 503: 'UNAVAILABLE: a process of the node does not answer' }) },
      },
    },
    async (_, reply) => {
      asked ??= node.askProcesses().finally(() => {
        asked = undefined
      })
      // Only a restart of the node ends a frozen process (decision 0028).
      const isFrozen = (await asked).some(({ isServing, answer }) => isServing && !answer)
      // Sent and not thrown: anyone may ask, and a thrown 503 is logged for each request.
      if (isFrozen) return sendError(reply, 'UNAVAILABLE', { message: 'A process of this node does not answer.' })
      return { status: 'ok' }
    },
  )
  const readySchema = {
    tags: ['server'],
    summary: 'Check that the server can handle requests',
    response: { 200: Report, 503: Report },
  }
  app.get('/readyz', { schema: readySchema }, async (request, reply) => {
    const { ready, checks } = await readiness.report()
    for (const { name, cause } of checks) if (cause !== undefined) request.log.warn({ err: cause, check: name }, 'not ready')
    return reply
      .status(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({
        status: ready ? 'ready' : 'not ready',
        deadline_ms: READINESS_DEADLINE_MS,
        checks: checks.map(({ cause: _, ...check }) => check),
      })
  })
  app.get(
    '/metrics',
    {
      schema: {
        tags: ['server'],
        summary: 'Get Prometheus metrics. Requires the bearer token if GATEHOUSE_METRICS_TOKEN is set',
      },
    },
    async (request, reply) => {
      checkMetricsToken(request.headers.authorization, secrets.metricsToken)
      const text = node.metrics ? await textOf(await node.metrics()) : await metrics.registry.metrics()
      return reply.type(metrics.registry.contentType).send(text)
    },
  )
}

/** Throws a 401 if a token is set and the header does not have it. Compares hashes, because timingSafeEqual needs equal lengths. */
function checkMetricsToken(authorization: string | undefined, token: string | undefined): void {
  if (token === undefined) return
  const [, sent = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  if (timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer'))) return
  throw new GatehouseError('AUTH_INVALID_KEY', {
    message: '/metrics requires the metrics token of this server. Send it as a bearer token.',
  })
}
