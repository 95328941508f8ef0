import { anthropicUpstream } from '../../dialects/anthropic-messages/upstream.ts'
import { isObject } from '../../platform/lib/untrusted-json.ts'
import type { ProviderAdapter } from './adapter.ts'
import { bedrockAdapter } from './bedrock-adapter.ts'
import { geminiAdapter, vertexAdapter } from './google-adapters.ts'
import type { ProviderKind } from './kinds.ts'
import { azureOpenaiAdapter, openaiAdapter } from './openai-adapter.ts'

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
