import type { ProviderAdapter } from './adapter.ts'
import { anthropicAdapter } from './anthropic-adapter.ts'
import { bedrockAdapter } from './bedrock-adapter.ts'
import { geminiAdapter, vertexAdapter } from './google-adapters.ts'
import type { ProviderKind } from './kinds.ts'
import { azureOpenaiAdapter, openaiAdapter } from './openai-adapter.ts'

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
