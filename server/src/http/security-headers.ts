import type { FastifyInstance } from 'fastify'

const YEAR_SECONDS = 31_536_000

/** What every response carries: browsers take it for what it says it is, and come by https where that is how they are to come. */
export const securityHeaders = (publicUrl: string | undefined): Readonly<Record<string, string>> => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }),
})

/** On every response that gets as far as a hook, errors and streams included. */
export function sendSecurityHeaders(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers)
  })
}
