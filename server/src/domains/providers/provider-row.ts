import type { Insertable, Selectable } from 'kysely'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { findUrlProblem } from '../../platform/lib/url-guard.ts'
import { findApiKeyProblem } from './credentials.ts'
import { pricesOf } from './prices.ts'
import {
  isPrivateUrlAllowed,
  originOf,
  type Provider,
  type ProviderModel,
  type ProviderProblem,
  type ProviderSettings,
  type ProviderSource,
  resolvedBaseUrl,
} from './provider.ts'
import type { ModelTable, ProviderTable } from './tables.ts'

/** A provider as operators see it: the source of its key, but not the key. */
export interface ProviderRecord extends ProviderSettings {
  readonly source: ProviderSource
  readonly apiKeyFrom: 'stored' | 'environment' | null
  readonly apiKeyEnv: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface LoadDeps {
  readonly box: SecretBox
  /** Reads a variable of the environment. */
  readonly environment: (name: string) => string | undefined
  readonly allowPrivateUrls: boolean
}

type ProviderRow = Selectable<ProviderTable>

/** A sealed key can only be opened for its origin. A changed URL, even in the table, does not get the key. */
export const keyContext = (workspaceId: string, id: string, baseUrl: string | null): string =>
  JSON.stringify([workspaceId, id, originOf(baseUrl)])

/** Each setting with its column. */
const COLUMNS = {
  id: 'id',
  kind: 'kind',
  preset: 'preset',
  baseUrl: 'base_url',
  path: 'path',
  headers: 'headers',
  timeoutMs: 'timeout_ms',
  idleTimeoutMs: 'idle_timeout_ms',
  stream: 'stream',
  maxRetries: 'max_retries',
  maxConcurrency: 'max_concurrency',
  weight: 'weight',
  region: 'region',
  maxClassification: 'max_classification',
  enabled: 'enabled',
} as const satisfies Record<keyof ProviderSettings, keyof ProviderTable>
const ENTRIES = Object.entries(COLUMNS) as readonly [keyof ProviderSettings, keyof ProviderTable][]

const settingsOf = (row: ProviderRow): ProviderSettings =>
  Object.fromEntries(ENTRIES.map(([field, column]) => [field, row[column]])) as unknown as ProviderSettings

/** The columns of the settings that are there. */
export function columnsOf<Settings extends Partial<ProviderSettings>>(
  settings: Settings,
): Pick<Insertable<ProviderTable>, (typeof COLUMNS)[keyof Settings & keyof ProviderSettings]> {
  const columns = ENTRIES.flatMap(([field, column]) => {
    const value = settings[field]
    if (value === undefined) return []
    return [[column, field === 'headers' ? JSON.stringify(value) : value]]
  })
  return Object.fromEntries(columns)
}

export const recordOf = (row: ProviderRow): ProviderRecord => ({
  ...settingsOf(row),
  source: row.source,
  apiKeyFrom: row.api_key_env !== null ? 'environment' : row.api_key !== null ? 'stored' : null,
  apiKeyEnv: row.api_key_env,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const modelOf = (row: Selectable<ModelTable>): ProviderModel => ({
  id: row.id,
  upstreamName: row.upstream_name,
  api: row.api,
  ...pricesOf(row),
  createdAt: row.created_at,
})

/** A provider with its key, or with the problem that prevents its use. */
export function providerOf(row: ProviderRow, models: readonly ProviderModel[], workspaceId: string, deps: LoadDeps): Provider {
  const { source } = row
  const { apiKey, problem: keyProblem } = readKey(row, workspaceId, deps)
  const allowPrivate = isPrivateUrlAllowed(source, deps.allowPrivateUrls)
  const addressProblem = row.kind !== 'stub' && findUrlProblem(resolvedBaseUrl(settingsOf(row)), allowPrivate)
  const isKeyInvalid = apiKey !== null && findApiKeyProblem(row.kind, apiKey, allowPrivate) !== undefined
  const problem = addressProblem ? 'url_not_allowed' : (keyProblem ?? (isKeyInvalid ? 'key_invalid' : undefined))
  return { ...settingsOf(row), workspaceId, source, apiKey, models, ...(problem && { problem }) }
}

function readKey(
  { id, source, api_key, api_key_env, base_url }: ProviderRow,
  workspaceId: string,
  { box, environment }: LoadDeps,
): { apiKey: string | null; problem?: ProviderProblem } {
  if (api_key_env !== null) {
    // Providers of the admin API must not read variables of the server (provider.ts, findCredentialsProblem).
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
