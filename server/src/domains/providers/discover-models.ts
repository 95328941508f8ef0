import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import type { HttpFailure } from '../../platform/lib/http-request.ts'
import { isObject, parseJson } from '../../platform/lib/untrusted-json.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { MODEL_ID, type Provider } from './provider.ts'
import { sendToProvider } from './send-to-provider.ts'

export interface ModelList {
  /** Models that can chat, sorted. */
  readonly models: readonly string[]
  /** How many models of the provider are left out, because they cannot chat. */
  readonly leftOut: { readonly embedding: number; readonly other: number }
}

/** `list`: undefined if the provider has none. */
export type Discovery = { readonly ok: true; readonly list: ModelList | undefined } | HttpFailure

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
  if (!models) return { ok: true, list: undefined }
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
  return { ok: true, list: listOf([...ids]) }
}

const idsOf = (entries: readonly unknown[]): readonly string[] =>
  entries
    .map((entry) => (isObject(entry) ? entry.id : undefined))
    .filter((id): id is string => typeof id === 'string' && MODEL_ID.test(id))

function listOf(ids: readonly string[]): ModelList {
  const leftOut = ids.filter((id) => !isListedModel(id))
  const embedding = leftOut.filter(isEmbeddingModel).length
  const models = ids.filter(isListedModel).sort().slice(0, MAX_MODELS)
  return { models, leftOut: { embedding, other: leftOut.length - embedding } }
}

/** Whether the name is not that of a model that cannot chat. */
export const isListedModel = (id: string): boolean => !NOT_CHAT.test(id)
export const isEmbeddingModel = (id: string): boolean => /embed/i.test(id)
