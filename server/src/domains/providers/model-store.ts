import type { Db, Tx } from '../../platform/db/database.ts'
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { PRICE_FIELDS, priceFieldsOf } from './prices.ts'
import type { ProviderModel } from './provider.ts'
import { modelOf } from './provider-row.ts'
import { findProvider } from './provider-store.ts'

export async function listModels(
  db: Db,
  workspaceId: string,
  providerId: string,
  page: PageRequest,
): Promise<Page<ProviderModel>> {
  const query = db
    .selectFrom('model')
    .selectAll()
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('provider_id', '=', providerId)
  return readPage(query, page, { by: ['id'], place: page.after === undefined ? undefined : [page.after] }, modelOf)
}

/** The model, locked until the transaction ends, so that two changes of different fields are both kept. */
export async function findModelForChange(tx: Tx, workspaceId: string, providerId: string, id: string) {
  const row = await tx
    .selectFrom('model')
    .selectAll()
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('provider_id', '=', providerId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && modelOf(row)
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
        ...priceFieldsOf(model),
        created_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'provider_id', 'id']).doUpdateSet((row) => ({
        upstream_name: row.ref('excluded.upstream_name'),
        api: row.ref('excluded.api'),
        ...Object.fromEntries(PRICE_FIELDS.map((field) => [field, row.ref(`excluded.${field}`)])),
      })),
    )
    .execute()
  return true
}

/** Returns false if the provider has no such model. */
export async function deleteModel(db: Db, workspaceId: string, providerId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('model')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('provider_id', '=', providerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}
