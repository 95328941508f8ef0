import type { FastifyInstance } from 'fastify'

const YEAR_SECONDS = 31_536_000

/** Headers of every response: browsers do not guess the content type, and use https when the public URL does. */
export const securityHeaders = (publicUrl: string | undefined): Readonly<Record<string, string>> => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }),
})

/** Sends the headers with every response that reaches a hook, errors and streams included. */
export function sendSecurityHeaders(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
