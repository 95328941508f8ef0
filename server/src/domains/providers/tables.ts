import type { Generated } from 'kysely'
import type { Bytes, CreatedAt, Json } from '../../platform/db/columns.ts'
import type { Classification } from '../../shared/classification.ts'
import type { ModelApi, ProviderKind, ProviderSource } from './kinds.ts'
import type { PresetId } from './presets.ts'
import type { PriceFields } from './prices.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    provider: {
      workspace_id: string
      /** A slug such as `openai`, unique in the Workspace; shown as `owned_by` in the models list. */
      id: string
      kind: ProviderKind
      /** A server whose names of parameters and whose paths a provider of kind `openai` uses; null: those of OpenAI. */
      preset: PresetId | null
      source: ProviderSource
      /** null for a stub. May hold `{region}`. */
      base_url: string | null
      /** An owner allows private addresses for this provider alone (decision 0006, "URLs"). */
      allow_private_addresses: Generated<boolean>
      /** Sealed; null: the provider has no key, or its key is in the environment. */
      api_key: Bytes | null
      api_key_env: string | null
      /** Sent with every upstream request. `{api_key}` in a value is replaced by the key, which is then sent in no other header. */
      headers: Json<Readonly<Record<string, string>>>
      /** Path of chat requests below base_url, with a query if the provider needs one (Azure's api-version). May hold placeholders (kinds.ts). */
      path: string
      /** Longest time of one attempt, from waiting for a connection to the last byte of the response. */
      timeout_ms: number
      /** Longest time without a byte: until the headers, and between bytes of the body or events of a stream. null: the server's setting. */
      idle_timeout_ms: number | null
      stream: Generated<boolean>
      max_retries: number
      max_concurrency: number
      /** Share of the requests among equally healthy providers; 0: only if no other provider is left. */
      weight: number
      region: string | null
      /** The most sensitive content that the provider may receive. */
      max_classification: Classification
      enabled: boolean
      /** Since when it fails and `provider.failing` was announced; null: it works, as far as is known. */
      failing_since: Date | null
      created_at: CreatedAt
      updated_at: Date
    }
    model: PriceFields & {
      workspace_id: string
      provider_id: string
      id: string
      upstream_name: string | null
      api: Generated<ModelApi>
      /** Among healthy providers of the same model, those with a lower number get requests first. */
      fallback_order: Generated<number>
      created_at: CreatedAt
    }
  }
}
