import type { Clock } from '../lib/clock.ts'
import { type HttpFailure, sendHttpRequest } from '../lib/http-request.ts'
import type { ConnectionPools } from './connection-pools.ts'
import { MODEL_ID, type Provider } from './provider.ts'

type Discovery = { readonly ok: true; readonly models: readonly string[] } | HttpFailure

const TIMEOUT_MS = 5_000
const MAX_BYTES = 4 * 1_048_576
const MAX_MODELS = 1_000
/** Model lists name everything a vendor sells; these words mark what does not answer chat completions. */
const NOT_CHAT =
  /embed|whisper|(?:^|[-/])tts|dall-e|moderation|transcribe|realtime|rerank|(?:^|[-/])(?:sora|davinci|babbage)|image|audio/i

/**
 * Asks an OpenAI-compatible provider which models it has (`GET {base_url}/models`): their ids, sorted, without those that are
 * plainly not for chat. Bounded in time, bytes and number; a failure is a value.
 */
export async function discoverModels(
  provider: Provider,
  pools: ConnectionPools,
  { clock }: { clock: Clock },
): Promise<Discovery> {
  const { dispatcher, modelsPath: path, headers } = pools.endpoint(provider)
  const limits = { timeoutMs: Math.min(TIMEOUT_MS, provider.timeoutMs), maxBytes: MAX_BYTES, now: () => clock.now().getTime() }
  const answer = await sendHttpRequest(dispatcher, { method: 'GET', path, headers, body: null, ...limits })
  if (!answer.ok) return answer
  const ids = readIds(answer.body)
  if (!ids) return { ok: false, failure: 'malformed', status: answer.status }
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
