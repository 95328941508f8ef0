import type { ProviderAdapter } from './adapter.ts'
import { anthropicAdapter } from './anthropic-adapter.ts'
import { azureOpenaiAdapter, openaiAdapter } from './openai-adapter.ts'
import type { ProviderKind } from './provider.ts'

/** A stub sends no requests. */
const ADAPTERS: Readonly<Record<Exclude<ProviderKind, 'stub'>, ProviderAdapter>> = {
  openai: openaiAdapter,
  anthropic: anthropicAdapter,
  'azure-openai': azureOpenaiAdapter,
}

export const adapterOf = (kind: keyof typeof ADAPTERS): ProviderAdapter => ADAPTERS[kind]
