import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GatehouseError } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The setting that limits the body of this route, for the error message. */
    readonly bodySetting?: string
  }
}

/** Config of routes whose body limit is a setting. All others accept one MiB. */
export const LARGE_BODY = { bodySetting: 'GATEHOUSE_MAX_BODY_BYTES' } as const
export const OTHER_BODY_BYTES = 1_048_576

/** Smaller bodies are not counted: the limit of concurrent requests bounds them. */
const SMALL_BYTES = 262_144

/**
 * Limits the bytes of large bodies in memory, from their first byte until the response is sent. A request above the limit gets 503
 * before its body is read. A body without a Content-Length counts as the longest allowed until it has been read. Bodies are counted
 * after the `onRequest` hooks, which refuse clients without a key.
 */
export function limitLargeBodies(app: FastifyInstance, maxBytes: number): void {
  let held = 0
  const shares = new WeakMap<FastifyRequest, number>()
  const share = (request: FastifyRequest, bytes: number): void => {
    const counted = bytes > SMALL_BYTES ? bytes : 0
    held += counted - (shares.get(request) ?? 0)
    shares.set(request, counted)
  }
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const bytes = largeBytes(request)
    // The client may have left during the `onRequest` hooks: `close` then never comes.
    if (bytes === 0 || reply.raw.destroyed) return done()
    if (held + bytes > maxBytes)
      return done(new GatehouseError('UNAVAILABLE', { message: FULL, headers: { 'retry-after': '2', connection: 'close' } }))
    share(request, bytes)
    reply.raw.once('close', () => share(request, 0))
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (shares.has(request) && Buffer.isBuffer(request.body)) share(request, request.body.length)
    done()
  })
}

/** Bytes that the body counts as; 0 for a small body, and for one that is refused as too large. */
function largeBytes({ routeOptions: { bodyLimit = 0, config }, headers }: FastifyRequest): number {
  const length = headers['content-length']
  const bytes = length === undefined ? bodyLimit : Number(length)
  return config.bodySetting === undefined || bytes <= SMALL_BYTES || bytes > bodyLimit ? 0 : bytes
}

export const hasLargeBody = (request: FastifyRequest): boolean => largeBytes(request) > 0

const FULL = 'Too many large requests are in flight (GATEHOUSE_MAX_BODY_BYTES_IN_FLIGHT). Try again in a moment.'
