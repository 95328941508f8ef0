import type { Selectable } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { type Page, type PageRequest, pageById } from '../db/page.ts'
import type { KnowledgeCollectionTable } from '../db/schema.ts'
import { jsonOrNull, uuidOfWorkspace } from '../db/values.ts'
import type { Classification } from '../domain/classification.ts'
import { fromId, newUuid, toId } from '../lib/id.ts'
import type { Language } from '../retrieval/language.ts'
import type { Acl } from './acl.ts'
import { COLLECTION_DEFAULTS, type Collection, type CollectionCreate, type CollectionPatch } from './collection.ts'
import { normalizedLabels } from './labels.ts'

const collectionOf = (row: Selectable<KnowledgeCollectionTable>): Collection => ({
  id: toId('col', row.id),
  workspaceId: toId('ws', row.workspace_id),
  name: row.name,
  description: row.description,
  classification: row.classification as Classification | null,
  regulations: row.regulations,
  acl: row.acl as Acl | null,
  language: row.language as Language,
  applications: row.applications,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Undefined when the Workspace has a collection of that name. */
export async function createCollection(
  tx: Tx,
  workspaceId: string,
  create: CollectionCreate,
  now: Date,
): Promise<Collection | undefined> {
  await holdNames(tx, workspaceId)
  if (await findCollectionByName(tx, workspaceId, create.name)) return undefined
  const row = await tx
    .insertInto('knowledge_collection')
    .values({
      id: newUuid(),
      workspace_id: uuidOfWorkspace(workspaceId),
      ...columnsOf({ ...COLLECTION_DEFAULTS, ...create }),
      created_at: now,
      updated_at: now,
      removed_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return collectionOf(row)
}

export async function findCollection(db: Db, workspaceId: string, id: string): Promise<Collection | undefined> {
  const uuid = fromId('col', id)
  if (uuid === undefined) return undefined
  const row = await collections(db, workspaceId).where('id', '=', uuid).executeTakeFirst()
  return row && collectionOf(row)
}

export async function findCollectionByName(db: Db, workspaceId: string, name: string): Promise<Collection | undefined> {
  const row = await collections(db, workspaceId).where('name', '=', name).executeTakeFirst()
  return row && collectionOf(row)
}

/** Oldest first. Undefined when `page.after` is no id. */
export async function listCollections(db: Db, workspaceId: string, page: PageRequest): Promise<Page<Collection> | undefined> {
  return pageById(collections(db, workspaceId), 'col', page, collectionOf)
}

export type CollectionUpdate =
  | { readonly ok: true; readonly collection: Collection }
  | { readonly ok: false; readonly reason: 'not_found' | 'name_taken' }

/** Labels, ACL and Applications count from the next search on, for every document it holds. */
export async function updateCollection(
  tx: Tx,
  workspaceId: string,
  id: string,
  patch: CollectionPatch,
  now: Date,
): Promise<CollectionUpdate> {
  await holdNames(tx, workspaceId)
  const stored = await lockCollection(tx, workspaceId, id)
  if (!stored) return { ok: false, reason: 'not_found' }
  const wanted = { ...stored, ...patch }
  const holder = await findCollectionByName(tx, workspaceId, wanted.name)
  if (holder && holder.id !== stored.id) return { ok: false, reason: 'name_taken' }
  const row = await tx
    .updateTable('knowledge_collection')
    .set({ ...columnsOf(wanted), updated_at: now })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOfCollection(stored))
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ok: true, collection: collectionOf(row) }
}

/** Nothing of it is found any more; `sweepCollections` removes what it held. False when there is none. */
export async function deleteCollection(tx: Tx, workspaceId: string, id: string, now: Date): Promise<boolean> {
  const stored = await lockCollection(tx, workspaceId, id)
  if (!stored) return false
  await tx
    .updateTable('knowledge_collection')
    .set({ removed_at: now })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOfCollection(stored))
    .execute()
  return true
}

/** Until the transaction ends nobody else writes to the collection or its documents. */
export async function lockCollection(tx: Tx, workspaceId: string, id: string): Promise<Collection | undefined> {
  const uuid = fromId('col', id)
  if (uuid === undefined) return undefined
  const row = await collections(tx, workspaceId).where('id', '=', uuid).forNoKeyUpdate().executeTakeFirst()
  return row && collectionOf(row)
}

export const uuidOfCollection = ({ id }: Pick<Collection, 'id'>): string => fromId('col', id) as string

/** Whoever names a collection waits for the Workspace's row, so that two never take one name. */
const holdNames = (tx: Tx, workspaceId: string) =>
  tx.selectFrom('workspace').select('id').where('id', '=', uuidOfWorkspace(workspaceId)).forNoKeyUpdate().execute()

const collections = (db: Db, workspaceId: string) =>
  db
    .selectFrom('knowledge_collection')
    .selectAll()
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('removed_at', 'is', null)

function columnsOf(collection: typeof COLLECTION_DEFAULTS & CollectionCreate) {
  const { classification, regulations, acl } = normalizedLabels(collection)
  return {
    name: collection.name,
    description: collection.description,
    classification,
    regulations: JSON.stringify(regulations),
    acl: jsonOrNull(acl),
    language: collection.language,
    applications: jsonOrNull(collection.applications),
  }
}
