import { responsesUpstream } from '../dialects/openai-responses/upstream.ts'
import type { UpstreamDialect } from '../dialects/upstream-dialect.ts'
import type { ProviderAdapter } from './adapter.ts'
import { anthropicAdapter } from './anthropic-adapter.ts'
import { azureOpenaiAdapter, openaiAdapter } from './openai-adapter.ts'
import type { ProviderKind, ProviderModel } from './provider.ts'

/** A stub sends no requests. */
const ADAPTERS: Readonly<Record<Exclude<ProviderKind, 'stub'>, ProviderAdapter>> = {
  openai: openaiAdapter,
  anthropic: anthropicAdapter,
  'azure-openai': azureOpenaiAdapter,
}

export const adapterOf = (kind: keyof typeof ADAPTERS): ProviderAdapter => ADAPTERS[kind]

/** The API in which a provider gets chats for a model. */
export const dialectOf = (kind: keyof typeof ADAPTERS, { api }: Pick<ProviderModel, 'api'>): UpstreamDialect =>
  api === 'responses' ? responsesUpstream : adapterOf(kind).dialect
