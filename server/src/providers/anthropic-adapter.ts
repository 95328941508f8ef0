import { anthropicUpstream } from '../dialects/anthropic-messages/upstream.ts'
import { isObject } from '../lib/untrusted-json.ts'
import type { ProviderAdapter } from './adapter.ts'

/** Largest page that the API allows. */
const PAGE_SIZE = 1_000

/** The Messages API of Anthropic: https://platform.claude.com/docs/en/api/overview. */
export const anthropicAdapter: ProviderAdapter = {
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
