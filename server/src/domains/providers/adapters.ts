import { anthropicUpstream } from '../../dialects/anthropic-messages/upstream.ts'
import { isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { bearerAuthorizer } from './access-tokens.ts'
import type { ProviderAdapter } from './adapter.ts'
import { bedrockAdapter } from './bedrock-adapter.ts'
import { parseServiceAccount } from './credentials.ts'
import type { ProviderKind } from './kinds.ts'
import { azureOpenaiAdapter, openaiAdapter } from './openai-adapter.ts'

const MODEL_FOLDER = /^models\//

/** The API of Gemini in the form of OpenAI: https://ai.google.dev/gemini-api/docs/openai. Its list names models `models/…`. */
const geminiAdapter: ProviderAdapter = {
  ...openaiAdapter,
  readModels: (page) => {
    const entries = openaiAdapter.readModels(page)?.entries
    return (
      entries && {
        entries: entries.map((entry) => (isObject(entry) ? { ...entry, id: textOf(entry.id).replace(MODEL_FOLDER, '') } : entry)),
      }
    )
  },
}

/**
 * The same API on Vertex AI, which has no list of models in this form. The key is a service account, which is exchanged for an access
 * token: https://cloud.google.com/vertex-ai/generative-ai/docs/start/openai.
 */
const vertexAdapter: ProviderAdapter = {
  ...openaiAdapter,
  keyHeaders: () => [],
  authorizer: (_, apiKey, deps) => bearerAuthorizer(parseServiceAccount(apiKey), deps),
  modelsPath: () => undefined,
}

/** Largest page that the API allows. */
const PAGE_SIZE = 1_000

/** The Messages API of Anthropic: https://platform.claude.com/docs/en/api/overview. */
const anthropicAdapter: ProviderAdapter = {
  chatApi: ({ path }) => ({ dialect: anthropicUpstream, path, streamFormat: 'server-sent-events' }),
  hasEmbeddings: false,
  headers: ['anthropic-version', '2023-06-01'],
  keyHeaders: (apiKey) => ['x-api-key', apiKey],
  modelsPath: (base, { path }) => `${base}${path.replace(/\/messages(?:[?].*)?$/, '')}/models?limit=${PAGE_SIZE}`,
  readModels: (page) => {
    if (!isObject(page) || !Array.isArray(page.data)) return undefined
    const { data: entries, has_more: hasMore, last_id: lastId } = page
    const isLast = hasMore !== true || typeof lastId !== 'string'
    return { entries, next: isLast ? undefined : `&after_id=${encodeURIComponent(lastId)}` }
  },
}

/** A stub sends no requests. */
const ADAPTERS: Readonly<Record<Exclude<ProviderKind, 'stub'>, ProviderAdapter>> = {
  openai: openaiAdapter,
  anthropic: anthropicAdapter,
  'azure-openai': azureOpenaiAdapter,
  bedrock: bedrockAdapter,
  gemini: geminiAdapter,
  vertex: vertexAdapter,
}

export const adapterOf = (kind: keyof typeof ADAPTERS): ProviderAdapter => ADAPTERS[kind]
