import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { newId } from '../../platform/lib/id.ts'

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/
/** A key or token sent by mistake: request ids are logged and recorded. */
const CREDENTIAL = /(?:^|[._-])g[kau]_[A-Za-z0-9_-]{20}|^eyJ[A-Za-z0-9_-]+\.eyJ/

/** The `x-request-id` of the client when it is well-formed and not a credential, else a new one (API-HTTP-4). */
export function requestIdOf(request: IncomingMessage): string {
  const own = request.headers['x-request-id']
  return typeof own === 'string' && ACCEPTABLE.test(own) && !CREDENTIAL.test(own) ? own : newId('req')
}

/**
 * The id of the request's audit record: its own id with another prefix, so that the record is found by the request id and no column has to
 * store it. Undefined if the client chose the id, because another record may have it.
 */
export const auditIdOf = ({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>): string | undefined =>
  headers['x-request-id'] === id ? undefined : `aud${id.slice(id.indexOf('_'))}`
