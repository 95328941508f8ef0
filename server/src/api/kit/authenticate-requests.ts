import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Authenticates before the body is read: a client without a credential learns nothing, not even whether its body is valid. */
export function authenticateRequests(
  app: FastifyInstance,
  authenticate: (request: FastifyRequest, isAgain: boolean) => Promise<void>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    // Keys, messages and contents of reviews must not be cached.
    reply.header('cache-control', 'no-store')
    await authenticate(request, false)
  })
  // Reading a body takes up to a minute, in which the credential may be revoked.
  app.addHook('preValidation', async (request) => {
    if (request.body !== undefined) await authenticate(request, true)
  })
}
