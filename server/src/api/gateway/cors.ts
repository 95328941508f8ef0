import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cache } from '../../platform/lib/cache.ts'
import type { Application } from '../../shared/principal.ts'
import { sendError } from '../kit/error-responses.ts'
import { GOVERNANCE_HEADERS } from './governance-headers.ts'

/** Origins that the CORS settings of any Application name; the one key is the empty text. */
export type AllowedOrigins = Cache<ReadonlySet<string>>

const ANY = '*'
const EXPOSED = `x-request-id, x-audit-id, x-should-retry, retry-after, ratelimit, ratelimit-policy, ${GOVERNANCE_HEADERS.join(', ')}`
/** Names of header fields, as a preflight lists them: SDKs send some of their own. */
const HEADER_NAMES = /^[\w-]{1,64}(?: ?, ?[\w-]{1,64}){0,63}$/
const PREFLIGHT_SECONDS = '600'

const NONE: ReadonlySet<string> = new Set()

const has = (origins: ReadonlySet<string>, origin: string): boolean => origins.has(ANY) || origins.has(origin)

/** Decision 0009. A preflight carries no key, so it is answered for the origins of all Applications. Without settings: no header. */
export function registerCors(app: FastifyInstance, { allowedOrigins }: { readonly allowedOrigins: AllowedOrigins }): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    // The Application is not known before its key is read; `narrowOrigins` then narrows the origins.
    return origin === undefined ? done() : allowKnown(reply, origin, allowedOrigins)
  })
}

async function allowKnown(reply: FastifyReply, origin: string, allowedOrigins: AllowedOrigins): Promise<void> {
  // Without a database no origin is allowed; the request itself fails with its own error.
  const origins = await Promise.try(() => allowedOrigins.get('')).catch(() => NONE)
  if (has(origins, origin)) allow(reply, origin)
}

/** Responds to `OPTIONS` of a path. For an origin of no Application the response is that of an unknown method. */
export function preflightRoute(app: FastifyInstance, path: string, methods: string): void {
  app.options(path, { schema: { hide: true } }, async (request: FastifyRequest, reply: FastifyReply) => {
    const requestedHeaders = request.headers['access-control-request-headers'] ?? ''
    if (!reply.hasHeader('access-control-allow-origin') || request.headers['access-control-request-method'] === undefined)
      return sendError(reply, 'METHOD_NOT_ALLOWED', { headers: { allow: methods } })
    reply.headers({ 'access-control-allow-methods': methods, 'access-control-max-age': PREFLIGHT_SECONDS })
    if (HEADER_NAMES.test(requestedHeaders)) reply.header('access-control-allow-headers', requestedHeaders)
    return reply.status(204).send()
  })
}

export function narrowOrigins(reply: FastifyReply, { settings }: Application): void {
  const { origin } = reply.request.headers
  if (origin === undefined) return
  if (has(new Set(settings.cors?.origins), origin)) return void allow(reply, origin)
  reply.removeHeader('access-control-allow-origin')
  reply.removeHeader('access-control-expose-headers')
}

const allow = (reply: FastifyReply, origin: string): FastifyReply =>
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    vary: 'origin',
  })
