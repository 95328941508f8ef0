import type { IncomingHttpHeaders } from 'node:http'
import { GatehouseError } from '../errors.ts'

interface Asked {
  readonly method: string
  readonly protocol: string
  readonly host: string
  readonly headers: IncomingHttpHeaders
}

/** Where browsers find this server, if it was configured (GATEHOUSE_PUBLIC_URL). */
interface Configured {
  readonly origin: string | undefined
}

/** The origin that a browser calls ours. */
export const originOf = ({ protocol, host }: Pick<Asked, 'protocol' | 'host'>, { origin }: Configured): string =>
  origin ?? `${protocol}://${host}`

/** Throws a 403 for what changes something and comes from a page of another site. */
export function refuseCrossSite(request: Asked, configured: Configured): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(request.method) || isSameOrigin(request.headers, originOf(request, configured))) return
  throw new GatehouseError('FORBIDDEN', { message: 'What changes something must come from a page of this server.' })
}

/**
 * A browser sends the cookie along with whatever another site makes it send, but says where it comes from; who says nothing is
 * no browser, and gets by only without a cookie.
 */
function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (headers.origin !== undefined) return headers.origin === origin
  return site === 'same-origin' || headers.cookie === undefined
}
