import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ERRORS, type ErrorCode, errorBody } from '../../errors.ts'
import { hasMetricsToken } from '../telemetry/metrics-token.ts'
import { textOf } from '../telemetry/snapshots.ts'
import type { NodeHealth } from './node-health.ts'

export interface HealthServerOptions {
  readonly host: string
  readonly port: number
  readonly metricsToken: string | undefined
}

const REQUEST_TIMEOUT_MS = 10_000
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'

/** Serves `/healthz`, `/readyz` and `/metrics` on the health port. Rejects if it cannot listen. */
export async function startHealthServer(options: HealthServerOptions, health: NodeHealth): Promise<Server> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    respond(request, response, options.metricsToken, health).catch(() => sendError(response, 'INTERNAL'))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: options.host, port: options.port, exclusive: true }, resolve)
  })
  return server
}

async function respond(
  { method = '', url = '', headers }: IncomingMessage,
  response: ServerResponse,
  metricsToken: string | undefined,
  health: NodeHealth,
): Promise<void> {
  const path = url.split('?', 1)[0]
  if (path !== '/healthz' && path !== '/readyz' && path !== '/metrics') return sendError(response, 'NOT_FOUND')
  if (method !== 'GET' && method !== 'HEAD') return sendError(response, 'METHOD_NOT_ALLOWED')
  if (path === '/healthz') return health.isAlive ? sendJson(response, 200, { status: 'ok' }) : sendError(response, 'UNAVAILABLE')
  if (path === '/readyz') {
    const report = await health.readiness()
    return sendJson(response, report.ready ? 200 : 503, report.body)
  }
  if (!hasMetricsToken(headers.authorization, metricsToken)) return sendError(response, 'AUTH_INVALID_KEY')
  response.writeHead(200, { 'content-type': PROMETHEUS }).end(await textOf(await health.metrics()))
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

const sendError = (response: ServerResponse, code: ErrorCode): void => sendJson(response, ERRORS[code].status, errorBody(code))
