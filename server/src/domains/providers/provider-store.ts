import type { Updateable } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import {
  applyProviderChange,
  type NewProvider,
  originOf,
  type Provider,
  type ProviderChange,
  type ProviderSettings,
  type ProviderSource,
} from './provider.ts'
import { columnsOf, keyContext, type LoadDeps, modelOf, type ProviderRecord, providerOf, recordOf } from './provider-row.ts'
import type { ProviderTable } from './tables.ts'

/** Signal topic: the providers or models of a Workspace have changed. The key is the Workspace's id. */
export const PROVIDERS_TOPIC = 'providers'

interface WriteDeps {
  /** Purpose `provider`. */
  readonly box: SecretBox
  readonly now: Date
}

export async function listProviders(db: Db, workspaceId: string, page: PageRequest): Promise<Page<ProviderRecord>> {
  const query = db.selectFrom('provider').selectAll().where('workspace_id', '=', uuidOfWorkspace(workspaceId))
  return readPage(query, page, { by: ['id'], place: page.after === undefined ? undefined : [page.after] }, recordOf)
}

export async function findProvider(db: Db, workspaceId: string, id: string): Promise<ProviderRecord | undefined> {
  const row = await selectProvider(db, workspaceId, id).executeTakeFirst()
  return row && recordOf(row)
}

/** Like findProvider. No other transaction can change the provider until `tx` ends. */
export async function lockProvider(tx: Tx, workspaceId: string, id: string): Promise<ProviderRecord | undefined> {
  const row = await selectProvider(tx, workspaceId, id).forUpdate().executeTakeFirst()
  return row && recordOf(row)
}

/** Returns false if the Workspace already has a provider with this id. Check the settings first (findProviderProblem). */
export async function createProvider(
  db: Db,
  workspaceId: string,
  provider: NewProvider,
  { box, now }: WriteDeps,
): Promise<boolean> {
  const { apiKey, id, baseUrl } = provider
  const result = await db
    .insertInto('provider')
    .values({
      workspace_id: uuidOfWorkspace(workspaceId),
      ...columnsOf<ProviderSettings>(provider),
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

/**
 * Returns false if the Workspace has no such provider. A change of the origin removes the stored key. `by`: where the change comes from.
 * Check the result first (applyProviderChange, findProviderProblem).
 */
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
  const result = await db
    .updateTable('provider')
    .set({
      ...columnsOf(change),
      ...keyColumnsOf(change, originOf(baseUrl) !== originOf(before.baseUrl), seal),
      source,
      updated_at: now,
    })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Deletes the provider and its models. Returns false if the Workspace has no such provider. */
export async function deleteProvider(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('provider')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', id)
    .executeTakeFirst()
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

const selectProvider = (db: Db, workspaceId: string, id: string) =>
  db.selectFrom('provider').selectAll().where('workspace_id', '=', uuidOfWorkspace(workspaceId)).where('id', '=', id)

/** A key and a key's variable replace each other. A change of the origin removes the stored key. */
function keyColumnsOf(
  { apiKey, apiKeyEnv }: ProviderChange,
  changesOrigin: boolean,
  seal: (apiKey: string) => Buffer,
): Updateable<ProviderTable> {
  if (apiKey) return { api_key: seal(apiKey), api_key_env: null }
  if (apiKeyEnv) return { api_key: null, api_key_env: apiKeyEnv }
  return { ...((changesOrigin || apiKey === null) && { api_key: null }), ...(apiKeyEnv === null && { api_key_env: null }) }
}
