import type { HttpFailure } from '../../platform/lib/http-request.ts'
import { TOKEN_FAILED } from './access-tokens.ts'
import { readRejection } from './rejection.ts'
import type { UpstreamFailure } from './send-to-provider.ts'

/** Why a provider could not be reached or did not accept a request, each with the text for operators. */
export const DISCOVERY_CAUSES = {
  dns: 'Its host name cannot be resolved. Check the base URL and the DNS of this server.',
  refused: 'Its host refuses the connection. Check the port, and whether the provider is running.',
  unreachable: 'No connection could be made. Check the base URL, firewalls and proxies.',
  tls_untrusted:
    'Its TLS certificate is self-signed or from an unknown authority. Set NODE_EXTRA_CA_CERTS to the certificate of its authority.',
  tls_expired: 'Its TLS certificate has expired or is not valid yet. Renew it, and check the clock of this server.',
  tls_wrong_host: 'Its TLS certificate is for another host. Check the host name of the base URL.',
  tls: 'No secure connection could be made. Check its TLS certificate and the scheme of the base URL.',
  address_not_allowed:
    'Its address is private. Enter another base URL, let an owner of all Workspaces allow private addresses for this provider, or set GATEHOUSE_ALLOW_PRIVATE_URLS=1 on the server.',
  timeout: 'It did not respond in time. Try again, and check firewalls and proxies.',
  closed: 'It closed the connection before the response was complete. Try again.',
  unauthorized: 'It does not accept the API key, or the key lacks a permission. Enter another key.',
  token_rejected: 'The token endpoint does not accept the account of the key. Enter the JSON text of another account.',
  token_unavailable: 'The token endpoint of the key does not respond. Check its token_uri and firewalls.',
  quota_exhausted: 'It accepts the API key, but the account has no credit left. Check the account.',
  model_not_found: 'It does not have the model that was asked. Check the upstream name or the deployment.',
  not_found: 'It has nothing at this path. Check the base URL, which usually ends in /v1, and the path.',
  redirect: 'It redirects to another address, for example a sign-in page. Enter the address that it redirects to.',
  rate_limited: 'Its rate limit is reached. Try again later.',
  status: 'It responded with an error status. See the status in the details.',
  not_json: 'Its response is not JSON of this API, for example the HTML of a sign-in page or proxy. Check the base URL.',
  too_large: 'Its response is too large. Check the base URL.',
} as const

export type DiscoveryCause = keyof typeof DISCOVERY_CAUSES

const DNS = /^(?:ENOTFOUND|EAI_|ENODATA|EDNS)/
/** System error codes of TLS, the most specific first. */
const TLS: readonly (readonly [DiscoveryCause, RegExp])[] = [
  ['tls_expired', /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/],
  ['tls_wrong_host', /ALTNAME_INVALID|HOSTNAME_MISMATCH/],
  ['tls_untrusted', /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_UNTRUSTED|INVALID_CA/],
  ['tls', /TLS|SSL|CERT|UNABLE_TO_|^EPROTO$/],
]

type Failure = HttpFailure | UpstreamFailure

/** No text of the provider is used. */
export function causeOf(failure: Failure): DiscoveryCause {
  const { code = '' } = failure
  const ofToken = code === TOKEN_FAILED
  switch (failure.failure) {
    case 'blocked':
      return 'address_not_allowed'
    case 'connect':
      return ofToken ? 'token_unavailable' : connectCause(code)
    case 'timeout':
    case 'aborted':
      return ofToken ? 'token_unavailable' : 'timeout'
    case 'reset':
    case 'truncated':
      return tlsCause(code) ?? 'closed'
    case 'malformed':
      return 'not_json'
    case 'too_large':
      return 'too_large'
    default:
      return ofToken ? 'token_rejected' : statusCause(failure)
  }
}

const tlsCause = (code: string): DiscoveryCause | undefined => TLS.find(([, codes]) => codes.test(code))?.[0]

function connectCause(code: string): DiscoveryCause {
  if (DNS.test(code)) return 'dns'
  if (code === 'ECONNREFUSED') return 'refused'
  return /TIMEDOUT|TIMEOUT/.test(code) ? 'timeout' : (tlsCause(code) ?? 'unreachable')
}

function statusCause(failure: Failure): DiscoveryCause {
  const { status } = failure
  // A 404 means the path, unless its text is about the model.
  const rejection =
    'rejection' in failure ? failure.rejection : readRejection(status === 404 ? { ...failure, status: 400 } : failure)
  if (rejection?.kind === 'key_rejected') return 'unauthorized'
  if (rejection?.kind === 'quota_exhausted' || rejection?.kind === 'rate_limited') return rejection.kind
  if (rejection?.kind === 'refused' && rejection.code === 'model_not_found') return 'model_not_found'
  if (status === 404 || status === 405) return 'not_found'
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}
