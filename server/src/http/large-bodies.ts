import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GatehouseError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The setting that bounds the body of this route; named where one is refused. */
    readonly bodySetting?: string
  }
}

/** Routes whose bodies are as large as the setting allows; those of all others end at a mebibyte. */
export const LARGE_BODY = { bodySetting: 'GATEHOUSE_MAX_BODY_BYTES' } as const
export const OTHER_BODY_BYTES = 1_048_576

/** Bodies up to here are free: the limit of concurrent requests bounds them. */
const SMALL_BYTES = 262_144

/**
 * Bounds the bytes of large bodies that are in memory at a time, from their first byte until their answer has left: each is held
 * several times over while its exchange lasts, which may be minutes. One too many is told 503 before any of it is read. A body that
 * does not say its length counts as the longest allowed until it has been read. The place is taken after all `onRequest` hooks, where
 * callers are refused who have no key: a body that comes slowly keeps its place for as long as a request may take.
 */
export function boundLargeBodies(app: FastifyInstance, maxBytes: number): void {
  let held = 0
  const shares = new WeakMap<FastifyRequest, number>()
  const share = (request: FastifyRequest, bytes: number): void => {
    const counted = bytes > SMALL_BYTES ? bytes : 0
    held += counted - (shares.get(request) ?? 0)
    shares.set(request, counted)
  }
  app.addHook('preParsing', async (request, reply) => {
    const bytes = largeBytes(request)
    if (bytes === 0) return
    if (held + bytes > maxBytes) {
      throw new GatehouseError('UNAVAILABLE', { message: FULL, headers: { 'retry-after': '2', connection: 'close' } })
    }
    share(request, bytes)
    reply.raw.once('close', () => share(request, 0))
  })
  app.addHook('preValidation', async (request) => {
    if (shares.has(request) && Buffer.isBuffer(request.body)) share(request, request.body.length)
  })
}

/** How many bytes the body counts as; 0: it is a small one, or refused as too large in a moment, unread. */
function largeBytes({ routeOptions: { bodyLimit = 0, config }, headers }: FastifyRequest): number {
  const length = headers['content-length']
  const bytes = length === undefined ? bodyLimit : Number(length)
  return config.bodySetting === undefined || bytes <= SMALL_BYTES || bytes > bodyLimit ? 0 : bytes
}

export const hasLargeBody = (request: FastifyRequest): boolean => largeBytes(request) > 0

const FULL =
  'The gateway is working on as many large requests as its memory allows (GATEHOUSE_MAX_BODY_BYTES_IN_FLIGHT). Try again in a moment.'
