import type { Selectable } from 'kysely'
import type { SecretBox } from '../lib/secret-box.ts'
import { findUrlProblem } from '../lib/url-guard.ts'
import {
  isPrivateUrlAllowed,
  originOf,
  type Provider,
  type ProviderModel,
  type ProviderProblem,
  type ProviderSettings,
  type ProviderSource,
} from './provider.ts'
import type { ModelTable, ProviderTable } from './tables.ts'

/** A provider as operators see it: where its key is, never the key. */
export interface ProviderRecord extends ProviderSettings {
  readonly source: ProviderSource
  readonly apiKeyFrom: 'stored' | 'environment' | null
  readonly apiKeyEnv: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface LoadDeps {
  readonly box: SecretBox
  /** The environment, which only config/ reads. */
  readonly environment: (name: string) => string | undefined
  readonly allowPrivateUrls: boolean
}

type ProviderRow = Selectable<ProviderTable>

/** A key opens for the origin it was given for and no other: who redirects a provider, even in the table, does not get its key. */
export const keyContext = (workspaceId: string, id: string, baseUrl: string | null): string =>
  JSON.stringify([workspaceId, id, originOf(baseUrl)])

const sourceOf = ({ source }: ProviderRow): ProviderSource => source as ProviderSource

const settingsOf = (row: ProviderRow): ProviderSettings => ({
  id: row.id,
  kind: row.kind as ProviderSettings['kind'],
  baseUrl: row.base_url,
  path: row.path,
  headers: row.headers,
  timeoutMs: row.timeout_ms,
  idleTimeoutMs: row.idle_timeout_ms,
  maxRetries: row.max_retries,
  maxConcurrency: row.max_concurrency,
  weight: row.weight,
  region: row.region,
  maxClassification: row.max_classification as ProviderSettings['maxClassification'],
  enabled: row.enabled,
})

export const recordOf = (row: ProviderRow): ProviderRecord => ({
  ...settingsOf(row),
  source: sourceOf(row),
  apiKeyFrom: row.api_key_env !== null ? 'environment' : row.api_key !== null ? 'stored' : null,
  apiKeyEnv: row.api_key_env,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const modelOf = (row: Selectable<ModelTable>): ProviderModel => ({
  id: row.id,
  upstreamName: row.upstream_name,
  inputPrice: row.input_price,
  outputPrice: row.output_price,
  createdAt: row.created_at,
})

/** Ready to be called, or with the reason why not. */
export function providerOf(row: ProviderRow, models: readonly ProviderModel[], workspaceId: string, deps: LoadDeps): Provider {
  const source = sourceOf(row)
  const { apiKey, problem } = keyOf(row, workspaceId, deps)
  const blocked = row.kind !== 'stub' && findUrlProblem(row.base_url ?? '', isPrivateUrlAllowed(source, deps.allowPrivateUrls))
  const reason = blocked ? 'url_not_allowed' : problem
  return { ...settingsOf(row), workspaceId, source, apiKey, models, ...(reason && { problem: reason }) }
}

function keyOf(
  { id, source, api_key, api_key_env, base_url }: ProviderRow,
  workspaceId: string,
  { box, environment }: LoadDeps,
): { apiKey: string | null; problem?: ProviderProblem } {
  if (api_key_env !== null) {
    // What came over the admin API reads no variables of the server (provider.ts, credentialsProblem).
    const apiKey = source === 'api' ? undefined : environment(api_key_env)?.trim()
    return apiKey ? { apiKey } : { apiKey: null, problem: 'key_missing' }
  }
  if (api_key === null) return { apiKey: null }
  try {
    return { apiKey: box.open(api_key, keyContext(workspaceId, id, base_url)) }
  } catch {
    return { apiKey: null, problem: 'key_unreadable' }
  }
}
