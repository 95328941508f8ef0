import type { Generated } from 'kysely'
import type { Bytes, CreatedAt, Json } from '../../platform/db/columns.ts'
import type { Classification } from '../../shared/classification.ts'
import type { ProviderKind } from './kinds.ts'
import type { PresetId } from './presets.ts'
import type { PriceFields } from './prices.ts'
import type { ModelApi, ProviderSource } from './provider.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    provider: ProviderTable
    model: ModelTable
  }
}

export interface ProviderTable {
  workspace_id: string
  /** A slug such as `openai`; shown as `owned_by` in the models list. */
  id: string
  kind: ProviderKind
  /** null: none. */
  preset: PresetId | null
  source: ProviderSource
  base_url: string | null
  /** Sealed; null: the provider has no key, or its key is in the environment. */
  api_key: Bytes | null
  /** Name of the environment variable that holds the key; null: none. */
  api_key_env: string | null
  headers: Json<Record<string, string>>
  /** Path of chat completions below base_url. */
  path: string
  timeout_ms: number
  /** null: the server's setting. */
  idle_timeout_ms: number | null
  stream: Generated<boolean>
  max_retries: number
  max_concurrency: number
  weight: number
  region: string | null
  max_classification: Classification
  enabled: boolean
  created_at: CreatedAt
  updated_at: Date
}

/** Prices are per million tokens (prices.ts). */
export interface ModelTable extends PriceFields {
  workspace_id: string
  provider_id: string
  /** The name that clients use. */
  id: string
  /** The provider's name of the model; null: the same. */
  upstream_name: string | null
  api: Generated<ModelApi>
  created_at: CreatedAt
}
