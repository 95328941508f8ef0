import type { HttpFailure } from '../lib/http-request.ts'

/** Why the list of a provider's models could not be loaded, each with the text for operators. */
export const DISCOVERY_CAUSES = {
  dns: 'Its host name cannot be resolved. Check the base URL and the DNS of this server.',
  refused: 'Its host refuses the connection. Check the port, and whether the provider is running.',
  unreachable: 'No connection could be made. Check the base URL, firewalls and proxies.',
  tls: 'No secure connection could be made. Check its TLS certificate and the scheme of the base URL.',
  address_not_allowed: 'Its address is private. Set GATEHOUSE_ALLOW_PRIVATE_URLS if it runs in your own network.',
  timeout: 'It did not respond in time. Try again.',
  closed: 'It closed the connection before the response was complete. Try again.',
  unauthorized: 'It does not accept the API key. Enter another key.',
  not_found: 'It has no list of models at this base URL. Check the path, which usually ends in /v1.',
  rate_limited: 'Its rate limit is reached. Try again later.',
  status: 'It responded with an error status. See the status in the details.',
  not_json: 'Its response is not a list of models in JSON. Check the base URL.',
  too_large: 'Its response is too large. Check the base URL.',
} as const

export type DiscoveryCause = keyof typeof DISCOVERY_CAUSES

const DNS = /^(?:ENOTFOUND|EAI_|ENODATA|EDNS)/
const TLS = /TLS|SSL|CERT|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|^EPROTO$/
const TIMEOUT = /TIMEDOUT|TIMEOUT/

/** The cause of a failure by its kind, status and system error code. No text of the provider is used. */
export function causeOf({ failure, status, code = '' }: HttpFailure): DiscoveryCause {
  switch (failure) {
    case 'blocked':
      return 'address_not_allowed'
    case 'connect':
      return connectCause(code)
    case 'timeout':
    case 'aborted':
      return 'timeout'
    case 'reset':
    case 'truncated':
      return TLS.test(code) ? 'tls' : 'closed'
    case 'malformed':
      return 'not_json'
    case 'too_large':
      return 'too_large'
    default:
      return statusCause(status)
  }
}

function connectCause(code: string): DiscoveryCause {
  if (DNS.test(code)) return 'dns'
  if (code === 'ECONNREFUSED') return 'refused'
  if (TIMEOUT.test(code)) return 'timeout'
  return TLS.test(code) ? 'tls' : 'unreachable'
}

function statusCause(status: number): DiscoveryCause {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 404 || status === 405) return 'not_found'
  return status === 429 ? 'rate_limited' : 'status'
}
