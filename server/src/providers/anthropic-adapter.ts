import { anthropicUpstream } from '../dialects/anthropic-messages/upstream.ts'
import type { ProviderAdapter } from './adapter.ts'

/** Largest page that the API allows. */
const PAGE_SIZE = 1_000

/** The Messages API of Anthropic: https://platform.claude.com/docs/en/api/overview. */
export const anthropicAdapter: ProviderAdapter = {
  dialect: anthropicUpstream,
  headers: ['anthropic-version', '2023-06-01'],
  keyHeaders: (apiKey) => ['x-api-key', apiKey],
  modelsPath: (base, chatPath) => `${base}${chatPath.replace(/\/messages(?:[?].*)?$/, '')}/models?limit=${PAGE_SIZE}`,
  nextModels: ({ has_more: hasMore, last_id: lastId }) =>
    hasMore === true && typeof lastId === 'string' ? `&after_id=${encodeURIComponent(lastId)}` : undefined,
}
