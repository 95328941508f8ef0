import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import type { HttpFailure } from '../../platform/lib/http-request.ts'
import { isObject, parseJson } from '../../platform/lib/untrusted-json.ts'
import { TOKEN_FAILED } from './access-tokens.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { MODEL_ID, type Provider, upstreamNameOf } from './provider.ts'
import { readRejection } from './rejection.ts'
import { sendToProvider } from './send-to-provider.ts'

/** `models`: undefined if the provider has no list. */
export type Discovery = { readonly ok: true; readonly models: readonly string[] | undefined } | HttpFailure

type Deps = { readonly clock: Clock }

const TIMEOUT_MS = 5_000
const discoveryTimeoutMs = ({ timeoutMs }: Pick<Provider, 'timeoutMs'>): number => Math.min(TIMEOUT_MS, timeoutMs)

const MAX_BYTES = 4 * 1_048_576
const MAX_MODELS = 1_000
const MAX_PAGES = 10
/** Words in the ids of models that do not support chat completions. */
const NOT_CHAT =
  /embed|whisper|(?:^|[-/])tts|dall-e|moderation|transcribe|realtime|rerank|(?:^|[-/])(?:sora|davinci|babbage)|image|audio/i

export async function discoverModels(provider: Provider, pools: ConnectionPools, { clock }: Deps): Promise<Discovery> {
  const { adapter, models } = pools.endpoint(provider)
  if (!models) return { ok: true, models: undefined }
  const now = () => clock.now().getTime()
  const deadline = elapsed() + discoveryTimeoutMs(provider)
  const ids = new Set<string>()
  let query: string | undefined = ''
  for (let page = 0; query !== undefined && page < MAX_PAGES; page++) {
    const limits = { timeoutMs: Math.max(1, deadline - elapsed()), maxBytes: MAX_BYTES, keepsErrorBody: true, now }
    const response = await sendToProvider(models, { method: 'GET', path: models.path + query, body: null, ...limits })
    if (!response.ok) return response
    const read = adapter.readModels(parseJson(response.body))
    if (!read) return { ok: false, failure: 'malformed', status: response.status }
    for (const id of idsOf(read.entries)) ids.add(id)
    query = ids.size < MAX_MODELS ? read.next : undefined
  }
  return { ok: true, models: [...ids].sort().slice(0, MAX_MODELS) }
}

const idsOf = (entries: readonly unknown[]): readonly string[] =>
  entries
    .map((entry) => (isObject(entry) ? entry.id : undefined))
    .filter((id): id is string => typeof id === 'string' && MODEL_ID.test(id) && !NOT_CHAT.test(id))

/** Without a list of models, a chat request without messages is sent: it costs nothing, and is refused as invalid if the key is accepted. */
export async function testConnection(provider: Provider, pools: ConnectionPools, deps: Deps): Promise<Discovery> {
  const discovery = await discoverModels(provider, pools, deps)
  const model = provider.models[0]
  if (!discovery.ok || discovery.models || !model) return discovery
  const endpoint = pools.endpoint(provider)
  const name = upstreamNameOf(model)
  const body = JSON.stringify({ model: name, messages: [] })
  const request = { path: endpoint.chat({ name, api: 'chat' }).path, body, maxBytes: MAX_BYTES }
  const limits = { timeoutMs: discoveryTimeoutMs(provider), keepsErrorBody: true, now: () => deps.clock.now().getTime() }
  const response = await sendToProvider(endpoint, { method: 'POST', ...request, ...limits })
  return response.ok || refusesOnlyMessages(response) ? discovery : response
}

/** Whether the provider has read the request and found no fault but that it has no messages. */
function refusesOnlyMessages(failure: HttpFailure): boolean {
  if (failure.status !== 400 && failure.status !== 422) return false
  const rejection = readRejection(failure)
  return rejection?.kind === 'refused' && rejection.code !== 'model_not_found'
}

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
  address_not_allowed: 'Its address is private. Set GATEHOUSE_ALLOW_PRIVATE_URLS if it runs in your own network.',
  timeout: 'It did not respond in time. Try again, and check firewalls and proxies.',
  closed: 'It closed the connection before the response was complete. Try again.',
  unauthorized: 'It does not accept the API key, or the key lacks a permission. Enter another key.',
  token_rejected: 'The token endpoint does not accept the account of the key. Enter the JSON text of another account.',
  token_unavailable: 'The token endpoint of the key does not respond. Check its token_uri and firewalls.',
  quota_exhausted: 'It accepts the API key, but the account has no credit left. Check the account.',
  model_not_found: 'It does not have the first model of this provider. Check the upstream name or the deployment.',
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

/** No text of the provider is used. */
export function causeOf(failure: HttpFailure): DiscoveryCause {
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

function statusCause(failure: HttpFailure): DiscoveryCause {
  const { status } = failure
  // A 404 means the path, unless its text is about the model.
  const rejection = readRejection(status === 404 ? { ...failure, status: 400 } : failure)
  if (rejection?.kind === 'key_rejected') return 'unauthorized'
  if (rejection?.kind === 'quota_exhausted' || rejection?.kind === 'rate_limited') return rejection.kind
  if (rejection?.kind === 'refused' && rejection.code === 'model_not_found') return 'model_not_found'
  if (status === 404 || status === 405) return 'not_found'
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}
