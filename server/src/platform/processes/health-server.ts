import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { ERRORS, errorBody } from '../../errors.ts'
import type { Config } from '../config/config.ts'

const PATHS = new Set(['/healthz', '/readyz', '/metrics'])
const REQUEST_TIMEOUT_MS = 10_000

/**
 * Serves the paths for monitoring on the health port, and no other, so that a network can keep clients and monitoring apart. `handle` is
 * the app. Returns undefined if there is no health port. Rejects if it cannot listen.
 */
export async function startHealthServer(
  { host, healthPort: port }: Pick<Config, 'host' | 'healthPort'>,
  handle: RequestListener,
): Promise<Server | undefined> {
  if (port === undefined) return undefined
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (PATHS.has(request.url?.split('?', 1)[0] ?? '')) return handle(request, response)
    response.writeHead(ERRORS.NOT_FOUND.status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify(errorBody('NOT_FOUND')))
  })
  server.listen({ host, port })
  await once(server, 'listening')
  return server
}
