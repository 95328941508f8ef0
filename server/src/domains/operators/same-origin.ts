import type { IncomingHttpHeaders } from 'node:http'
import { GatehouseError } from '../../errors.ts'

interface RequestOrigin {
  readonly method: string
  readonly protocol: string
  readonly host: string
  readonly headers: IncomingHttpHeaders
}

/** `origin`: undefined if GATEHOUSE_PUBLIC_URL is not set. */
type Configured = { readonly origin: string | undefined }

export const originOf = ({ protocol, host }: Pick<RequestOrigin, 'protocol' | 'host'>, { origin }: Configured): string =>
  origin ?? `${protocol}://${host}`

/** Throws a 403 when a page of another site sends a request that changes something. */
export function refuseCrossSite(request: RequestOrigin, configured: Configured): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(request.method) || isSameOrigin(request.headers, originOf(request, configured))) return
  throw new GatehouseError('FORBIDDEN', { message: 'Cross-site request rejected.' })
}

/** Browsers send cookies with cross-site requests too, but always name the origin. Without one, a cookie is not accepted. */
function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (headers.origin !== undefined) return headers.origin === origin
  return site === 'same-origin' || headers.cookie === undefined
}
