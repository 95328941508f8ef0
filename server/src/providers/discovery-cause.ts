import type { HttpFailure } from '../lib/http-request.ts'

/** Why a provider could not be asked for its models: a closed list, with what an operator can do about each. */
export const CAUSES = {
  dns: 'Its host name cannot be resolved. Check the base URL and the DNS of this server.',
  refused: 'Its host refuses the connection. Check the port, and whether the provider is running.',
  unreachable: 'No connection could be made. Check the base URL, firewalls and proxies.',
  tls: 'No secure connection could be made. Check its TLS certificate and the scheme of the base URL.',
  address_not_allowed: 'Its address is private. Set GATEHOUSE_ALLOW_PRIVATE_URLS if it runs in your own network.',
  timeout: 'It did not answer in time.',
  closed: 'It closed the connection before its answer was complete.',
  unauthorized: 'It does not accept the API key.',
  not_found: 'It has no list of models at this base URL. Check the path, which usually ends in /v1.',
  rate_limited: 'It limits requests at the moment. Try again later.',
  status: 'It answered with an error status.',
  not_json: 'Its answer is not a list of models in JSON. Check the base URL.',
  too_large: 'Its answer is too large.',
} as const

export type DiscoveryCause = keyof typeof CAUSES

const DNS = /^(?:ENOTFOUND|EAI_|ENODATA|EDNS)/
const TLS = /TLS|SSL|CERT|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|^EPROTO$/
const TIMEOUT = /TIMEDOUT|TIMEOUT/

/** The cause of a failure, from its kind, its status and the code of the system's error. Nothing that the provider wrote is read. */
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
