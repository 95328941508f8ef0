import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import type { HttpFailure } from '../../platform/lib/http-request.ts'
import { isObject, parseJson } from '../../platform/lib/untrusted-json.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { MODEL_ID, type Provider } from './provider.ts'
import { sendToProvider } from './send-to-provider.ts'

/** `models`: undefined if the provider has no list. */
export type Discovery = { readonly ok: true; readonly models: readonly string[] | undefined } | HttpFailure

const TIMEOUT_MS = 5_000
/** For the whole list, milliseconds. */
export const discoveryTimeoutMs = ({ timeoutMs }: Pick<Provider, 'timeoutMs'>): number => Math.min(TIMEOUT_MS, timeoutMs)

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
