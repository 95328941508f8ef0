import type { FastifyInstance } from 'fastify'
import { GatehouseError } from '../errors.ts'

/** Options of node's server that keep it from answering such requests itself. */
export const NODE_OPTIONS = { requireHostHeader: false } as const

/** Node would answer some requests by itself, without the envelope and a request id: these come to us instead. */
export function takeOverNodesAnswers(app: FastifyInstance): void {
  // Who expects what we do not know may be answered all the same (RFC 9110 §10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, headers } = request.raw
    // RFC 9112 §3.2
    if (headers.host === undefined && httpVersion === '1.1') {
      done(new GatehouseError('VALIDATION_ERROR', { message: 'The Host header is missing.' }))
    } else done()
  })
}
