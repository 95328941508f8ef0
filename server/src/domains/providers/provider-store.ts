import type { ExpressionBuilder, Insertable, Updateable } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { type Entity, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { camelCase } from '../../platform/lib/camel-case.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { findUrlProblem } from '../../platform/lib/url-guard.ts'
import { findApiKeyProblem } from './credentials.ts'
import type { ProviderSource } from './kinds.ts'
import { PRICE_FIELDS, priceFieldsOf, pricesOf } from './prices.ts'
import {
  applyProviderChange,
  isPrivateUrlAllowed,
  type NewProvider,
  originOf,
  type Provider,
  type ProviderChange,
  type ProviderModel,
  type ProviderProblem,
  type ProviderSettings,
  resolvedBaseUrl,
  SETTING_COLUMNS,
} from './provider.ts'

export interface ProviderRecord extends Entity<'provider', (typeof RECORD_COLUMNS)[number]> {
  readonly apiKeyFrom: 'stored' | 'environment' | null
}
const RECORD_COLUMNS = [...SETTING_COLUMNS, 'source', 'api_key_env', 'created_at', 'updated_at'] as const

export interface LoadDeps {
  readonly box: SecretBox
  readonly environment: (name: string) => string | undefined
  readonly allowPrivateUrls: boolean
}

type ProviderRow = RowOf<'provider'>

/** A sealed key can only be opened for its origin. A changed URL, even in the table, does not get the key. */
export const keyContext = (workspaceId: string, id: string, baseUrl: string | null): string =>
  JSON.stringify([workspaceId, id, originOf(baseUrl)])

const entityOf = <Column extends keyof ProviderRow>(row: ProviderRow, columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [camelCase(column), row[column]])) as Entity<'provider', Column>

function columnsOf(settings: ProviderSettings): Pick<Insertable<Schema['provider']>, (typeof SETTING_COLUMNS)[number]>
function columnsOf(settings: ProviderChange): Updateable<Schema['provider']>
function columnsOf(settings: Partial<ProviderSettings>): object {
  const columns = SETTING_COLUMNS.flatMap((column) => {
    const value = settings[camelCase(column)]
    if (value === undefined) return []
    return [[column, column === 'headers' ? JSON.stringify(value) : value]]
  })
  return Object.fromEntries(columns)
}

const recordOf = (row: ProviderRow): ProviderRecord => ({
  ...entityOf(row, RECORD_COLUMNS),
  apiKeyFrom: row.api_key_env !== null ? 'environment' : row.api_key !== null ? 'stored' : null,
})

const modelOf = (row: RowOf<'model'>): ProviderModel => ({
  id: row.id,
  upstreamName: row.upstream_name,
  api: row.api,
  fallbackOrder: row.fallback_order,
  ...pricesOf(row),
  createdAt: row.created_at,
})

/** A provider with its key, or with the problem that prevents its use. */
function providerOf(row: ProviderRow, models: readonly ProviderModel[], workspaceId: string, deps: LoadDeps): Provider {
  const { source } = row
  const { apiKey, problem: keyProblem } = readKey(row, workspaceId, deps)
  const settings = entityOf(row, SETTING_COLUMNS)
  const allowPrivate = isPrivateUrlAllowed({ ...settings, source }, deps.allowPrivateUrls)
  const addressProblem = row.kind !== 'stub' && findUrlProblem(resolvedBaseUrl(settings), allowPrivate)
  const isKeyInvalid = apiKey !== null && findApiKeyProblem(row.kind, apiKey, allowPrivate) !== undefined
  const problem = addressProblem ? 'url_not_allowed' : (keyProblem ?? (isKeyInvalid ? 'key_invalid' : undefined))
  return { ...settings, workspaceId, source, apiKey, models, failingSince: row.failing_since, ...(problem && { problem }) }
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

/** Signal topic: the providers or models of a Workspace have changed. The key is the Workspace's id. */
export const PROVIDERS_TOPIC = 'providers'

interface WriteDeps {
  readonly box: SecretBox
  readonly now: Date
}

export async function listProviders(db: Db, workspaceId: string, page: PageRequest): Promise<Page<ProviderRecord>> {
  const query = db.selectFrom('provider').selectAll().where('workspace_id', '=', uuidOfWorkspace(workspaceId))
  return readPage(query, page, { by: ['id'], place: page.after === undefined ? undefined : [page.after] }, recordOf)
}

export const findProvider = (db: Db, workspaceId: string, id: string): Promise<ProviderRecord | undefined> =>
  selectProvider(db, workspaceId, id).$call(takeFirst(recordOf))

/** Like findProvider. No other transaction can change the provider until `tx` ends. */
export const lockProvider = (tx: Tx, workspaceId: string, id: string): Promise<ProviderRecord | undefined> =>
  selectProvider(tx, workspaceId, id).forUpdate().$call(takeFirst(recordOf))

/** Returns false if the Workspace already has a provider with this id. Check the settings first (findProviderProblem). */
export async function createProvider(db: Db, workspaceId: string, provider: NewProvider, { box, now }: WriteDeps) {
  const { apiKey, id, baseUrl } = provider
  const result = await db
    .insertInto('provider')
    .values({
      workspace_id: uuidOfWorkspace(workspaceId),
      ...columnsOf(provider),
      source: provider.source,
      api_key: apiKey ? box.seal(apiKey, keyContext(workspaceId, id, baseUrl)) : null,
      api_key_env: provider.apiKeyEnv ?? null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Returns false if the Workspace has no such provider. Check the result first (applyProviderChange, findProviderProblem). */
export async function updateProvider(
  db: Db,
  workspaceId: string,
  id: string,
  change: ProviderChange,
  { box, now, by }: WriteDeps & { readonly by: ProviderSource },
): Promise<boolean> {
  const before = await findProvider(db, workspaceId, id)
  if (!before) return false
  const { source, baseUrl } = applyProviderChange(before, change, by)
  const seal = (apiKey: string) => box.seal(apiKey, keyContext(workspaceId, id, baseUrl))
  const changesOrigin = originOf(baseUrl) !== originOf(before.baseUrl)
  const result = await db
    .updateTable('provider')
    .set({
      ...columnsOf(change),
      ...keyColumnsOf(change, changesOrigin, seal),
      // With another key or address it may work. If it does not, operators are told again.
      ...((changesOrigin || change.apiKey) && { failing_since: null }),
      source,
      updated_at: now,
    })
    .where(isProvider(workspaceId, id))
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export async function deleteProvider(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const result = await db.deleteFrom('provider').where(isProvider(workspaceId, id)).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** All providers of the Workspace with their models and keys in plain text, by id. */
export async function loadProviders(db: Db, workspaceId: string, deps: LoadDeps): Promise<Provider[]> {
  const workspace = uuidOfWorkspace(workspaceId)
  const rows = await db.selectFrom('provider').selectAll().where('workspace_id', '=', workspace).orderBy('id').execute()
  const models = await db.selectFrom('model').selectAll().where('workspace_id', '=', workspace).orderBy('id').execute()
  const byProvider = Map.groupBy(models, ({ provider_id }) => provider_id)
  return rows.map((row) => providerOf(row, (byProvider.get(row.id) ?? []).map(modelOf), workspaceId, deps))
}

const isProvider = (workspaceId: string, id: string) => (eb: ExpressionBuilder<Schema, 'provider'>) =>
  eb.and({ workspace_id: uuidOfWorkspace(workspaceId), id })

const isModel = (workspaceId: string, provider_id: string, id?: string) => (eb: ExpressionBuilder<Schema, 'model'>) =>
  eb.and({ workspace_id: uuidOfWorkspace(workspaceId), provider_id, ...(id !== undefined && { id }) })

const selectProvider = (db: Db, workspaceId: string, id: string) =>
  db.selectFrom('provider').selectAll().where(isProvider(workspaceId, id))

/** A key and a key's variable replace each other. A change of the origin removes the stored key. */
function keyColumnsOf(
  { apiKey, apiKeyEnv }: ProviderChange,
  changesOrigin: boolean,
  seal: (apiKey: string) => Buffer,
): Updateable<Schema['provider']> {
  if (apiKey) return { api_key: seal(apiKey), api_key_env: null }
  if (apiKeyEnv) return { api_key: null, api_key_env: apiKeyEnv }
  return { ...((changesOrigin || apiKey === null) && { api_key: null }), ...(apiKeyEnv === null && { api_key_env: null }) }
}

export async function listModels(
  db: Db,
  workspaceId: string,
  providerId: string,
  page: PageRequest,
): Promise<Page<ProviderModel>> {
  const query = db.selectFrom('model').selectAll().where(isModel(workspaceId, providerId))
  return readPage(query, page, { by: ['id'], place: page.after === undefined ? undefined : [page.after] }, modelOf)
}

export async function findModelForChange(tx: Tx, workspaceId: string, providerId: string, id: string) {
  return tx
    .selectFrom('model')
    .selectAll()
    .where(isModel(workspaceId, providerId, id))
    .forUpdate()
    .$call(takeFirst(modelOf))
}

/** Adds or changes models. `created_at` of an existing model stays. Returns false if the Workspace has no such provider. */
export async function putModels(
  db: Db,
  workspaceId: string,
  providerId: string,
  models: readonly Omit<ProviderModel, 'createdAt'>[],
  now: Date,
): Promise<boolean> {
  const workspace = uuidOfWorkspace(workspaceId)
  if (!(await findProvider(db, workspaceId, providerId))) return false
  if (models.length === 0) return true
  await db
    .insertInto('model')
    .values(
      models.map((model) => ({
        workspace_id: workspace,
        provider_id: providerId,
        id: model.id,
        upstream_name: model.upstreamName,
        api: model.api ?? 'chat',
        fallback_order: model.fallbackOrder ?? 0,
        ...priceFieldsOf(model),
        created_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'provider_id', 'id']).doUpdateSet((row) => ({
        upstream_name: row.ref('excluded.upstream_name'),
        api: row.ref('excluded.api'),
        fallback_order: row.ref('excluded.fallback_order'),
        ...Object.fromEntries(PRICE_FIELDS.map((field) => [field, row.ref(`excluded.${field}`)])),
      })),
    )
    .execute()
  return true
}

export async function deleteModel(db: Db, workspaceId: string, providerId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('model')
    .where(isModel(workspaceId, providerId, id))
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}
