import type { IncomingMessage } from 'node:http'
import { newId } from '../../platform/lib/id.ts'

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/
/** A key or token sent by mistake: request ids are logged and recorded. */
const CREDENTIAL = /(?:^|[._-])g[kau]_[A-Za-z0-9_-]{20}|^eyJ[A-Za-z0-9_-]+\.eyJ/

/** The `x-request-id` of the client when it is well-formed and not a credential, else a new one (API-HTTP-4). */
export function requestIdOf(request: IncomingMessage): string {
  const own = request.headers['x-request-id']
  return typeof own === 'string' && ACCEPTABLE.test(own) && !CREDENTIAL.test(own) ? own : newId('req')
}
