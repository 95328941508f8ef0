import type { FastifyInstance } from 'fastify'
import { GatehouseError } from '../errors.ts'

/** Options of Node's server for `respondInsteadOfNode`. */
export const NODE_OPTIONS = { requireHostHeader: false } as const

/** Handles the requests that Node would respond to itself, without error envelope and request id. */
export function respondInsteadOfNode(app: FastifyInstance): void {
  // An unknown expectation may be ignored (RFC 9110 §10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, headers } = request.raw
    // RFC 9112 §3.2
    if (headers.host === undefined && httpVersion === '1.1') {
      done(new GatehouseError('VALIDATION_ERROR', { message: 'The Host header is missing.' }))
    } else done()
  })
}
