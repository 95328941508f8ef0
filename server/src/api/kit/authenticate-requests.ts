import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Authenticates each request of an API before its body is read, so that a client without a credential learns nothing, not even whether
 * its body is valid. Reading a body takes up to a minute, in which the credential may be revoked: `authenticate` then runs a second time
 * (`isAgain`), before the body is checked. It throws a 401 or 403.
 */
export function authenticateRequests(
  app: FastifyInstance,
  authenticate: (request: FastifyRequest, isAgain: boolean) => Promise<void>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    // Keys, messages and contents of reviews must not be cached.
    reply.header('cache-control', 'no-store')
    await authenticate(request, false)
  })
  app.addHook('preValidation', async (request) => {
    if (request.body !== undefined) await authenticate(request, true)
  })
}
