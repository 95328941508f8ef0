import type { Clock } from '../lib/clock.ts'
import { type HttpFailure, sendHttpRequest } from '../lib/http-request.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { MODEL_ID, type Provider } from './provider.ts'

type Discovery = { readonly ok: true; readonly models: readonly string[] } | HttpFailure

const TIMEOUT_MS = 5_000
const MAX_BYTES = 4 * 1_048_576
const MAX_MODELS = 1_000
/** Words in the ids of models that do not support chat completions. */
const NOT_CHAT =
  /embed|whisper|(?:^|[-/])tts|dall-e|moderation|transcribe|realtime|rerank|(?:^|[-/])(?:sora|davinci|babbage)|image|audio/i

/** Lists the ids of a provider's chat models (`GET {base_url}/models`), sorted, at most 1,000. A failure is a value. */
export async function discoverModels(
  provider: Provider,
  pools: ConnectionPools,
  { clock }: { clock: Clock },
): Promise<Discovery> {
  const { dispatcher, modelsPath: path, headers } = pools.endpoint(provider)
  const limits = { timeoutMs: Math.min(TIMEOUT_MS, provider.timeoutMs), maxBytes: MAX_BYTES, now: () => clock.now().getTime() }
  const response = await sendHttpRequest(dispatcher, { method: 'GET', path, headers, body: null, ...limits })
  if (!response.ok) return response
  const ids = readIds(response.body)
  if (!ids) return { ok: false, failure: 'malformed', status: response.status }
  return { ok: true, models: [...new Set(ids.filter((id) => !NOT_CHAT.test(id)))].sort().slice(0, MAX_MODELS) }
}

function readIds(body: Buffer): string[] | undefined {
  try {
    const { data } = JSON.parse(body.toString('utf8')) as { data?: unknown }
    if (!Array.isArray(data)) return undefined
    return data
      .map((entry: { id?: unknown } | null) => entry?.id)
      .filter((id): id is string => typeof id === 'string' && MODEL_ID.test(id))
  } catch {
    return undefined
  }
}
