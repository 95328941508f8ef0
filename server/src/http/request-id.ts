import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { newId } from '../lib/id.ts'

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's own `x-request-id` where it is well-formed, else a new one (decisions.md §1). */
export function requestIdOf(request: IncomingMessage): string {
  const own = request.headers['x-request-id']
  return typeof own === 'string' && ACCEPTABLE.test(own) ? own : newId('req')
}

/** On every response, errors and streams included: OpenAI clients read only that header. */
export function sendRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
}
