import { hash, timingSafeEqual } from 'node:crypto'

/** Whether the header has the token of `/metrics`; true if none is set. Compares hashes, because timingSafeEqual needs equal lengths. */
export function hasMetricsToken(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true
  const [, sent = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  return timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer'))
}
