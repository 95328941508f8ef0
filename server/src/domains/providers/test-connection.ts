import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import type { HttpFailure } from '../../platform/lib/http-request.ts'
import { isObject, parseJson } from '../../platform/lib/untrusted-json.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { MODEL_ID, type Provider, upstreamNameOf } from './provider.ts'
import { readRejection } from './rejection.ts'
import { sendToProvider } from './send-to-provider.ts'

/** `models`: undefined if the provider has no list. */
export type Discovery = { readonly ok: true; readonly models: readonly string[] | undefined } | HttpFailure

const TIMEOUT_MS = 5_000
/** For the whole list, milliseconds. */
const discoveryTimeoutMs = ({ timeoutMs }: Pick<Provider, 'timeoutMs'>): number => Math.min(TIMEOUT_MS, timeoutMs)

const MAX_BYTES = 4 * 1_048_576
const MAX_MODELS = 1_000
const MAX_PAGES = 10
/** Words in the ids of models that do not support chat completions. */
const NOT_CHAT =
  /embed|whisper|(?:^|[-/])tts|dall-e|moderation|transcribe|realtime|rerank|(?:^|[-/])(?:sora|davinci|babbage)|image|audio/i

/** Lists the ids of a provider's chat models, sorted, at most 1,000. A failure is a value. */
export async function discoverModels(
  provider: Provider,
  pools: ConnectionPools,
  { clock }: { clock: Clock },
): Promise<Discovery> {
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

/**
 * Tests address, path and key of a provider. A provider with a list of models is asked for the list. Any other gets a chat request without
 * messages for its first model: it costs nothing, and only a provider that accepts the key refuses the request as invalid. Such a
 * provider needs a model. A failure is a value.
 */
export async function testConnection(
  provider: Provider,
  pools: ConnectionPools,
  { clock }: { readonly clock: Clock },
): Promise<Discovery> {
  const discovery = await discoverModels(provider, pools, { clock })
  const model = provider.models[0]
  if (!discovery.ok || discovery.models || !model) return discovery
  const endpoint = pools.endpoint(provider)
  const name = upstreamNameOf(model)
  const body = JSON.stringify({ model: name, messages: [] })
  const request = { path: endpoint.chat({ name, api: 'chat' }).path, body, maxBytes: MAX_BYTES }
  const limits = { timeoutMs: discoveryTimeoutMs(provider), keepsErrorBody: true, now: () => clock.now().getTime() }
  const response = await sendToProvider(endpoint, { method: 'POST', ...request, ...limits })
  return response.ok || refusesOnlyMessages(response) ? discovery : response
}

/** Whether the provider has read the request and found no fault but that it has no messages. */
function refusesOnlyMessages(failure: HttpFailure): boolean {
  if (failure.status !== 400 && failure.status !== 422) return false
  const rejection = readRejection(failure)
  return rejection?.kind === 'refused' && rejection.code !== 'model_not_found'
}
