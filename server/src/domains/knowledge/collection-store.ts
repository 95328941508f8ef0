import type { Db, Tx } from '../../platform/db/database.ts'
import { fromRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { jsonOrNull, uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { fromId, newUuid } from '../../platform/lib/id.ts'
import { COLLECTION_DEFAULTS, type Collection, type CollectionCreate, type CollectionPatch } from './collection.ts'
import { labelColumns, normalizedLabels } from './labels.ts'

const collectionOf = ({ removed_at: _, ...row }: RowOf<'knowledge_collection'>): Collection =>
  fromRow(row, { id: 'col', workspace_id: 'ws' })

/** Returns undefined if the Workspace has a collection of that name. */
export async function createCollection(
  tx: Tx,
  workspaceId: string,
  create: CollectionCreate,
  now: Date,
): Promise<Collection | undefined> {
  await lockNames(tx, workspaceId)
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

export const findCollection = (db: Db, workspaceId: string, id: string): Promise<Collection | undefined> =>
  collections(db, workspaceId).where('id', '=', uuidOrNull('col', id)).$call(takeFirst(collectionOf))

export const findCollectionByName = (db: Db, workspaceId: string, name: string): Promise<Collection | undefined> =>
  collections(db, workspaceId).where('name', '=', name).$call(takeFirst(collectionOf))

/** Oldest first. Returns undefined if `page.after` is not an id. */
export async function listCollections(db: Db, workspaceId: string, page: PageRequest): Promise<Page<Collection> | undefined> {
  return pageById(collections(db, workspaceId), 'col', page, collectionOf)
}

type CollectionUpdate =
  | { readonly ok: true; readonly collection: Collection }
  | { readonly ok: false; readonly reason: 'not_found' | 'name_taken' }

/** New labels, ACL and Applications apply from the next search on, to every document of the collection. */
export async function updateCollection(
  tx: Tx,
  workspaceId: string,
  id: string,
  patch: CollectionPatch,
  now: Date,
): Promise<CollectionUpdate> {
  await lockNames(tx, workspaceId)
  const stored = await lockCollection(tx, workspaceId, id)
  if (!stored) return { ok: false, reason: 'not_found' }
  const updated = { ...stored, ...patch }
  const sameName = await findCollectionByName(tx, workspaceId, updated.name)
  if (sameName && sameName.id !== stored.id) return { ok: false, reason: 'name_taken' }
  const changed = { ...columnsOf(updated), updated_at: now }
  const row = await updateOf(tx, stored).set(changed).returningAll().executeTakeFirstOrThrow()
  return { ok: true, collection: collectionOf(row) }
}

/** Hides the collection from searches; `sweepCollections` removes its documents. Returns false if there is no such collection. */
export async function deleteCollection(tx: Tx, workspaceId: string, id: string, now: Date): Promise<boolean> {
  const stored = await lockCollection(tx, workspaceId, id)
  if (stored) await updateOf(tx, stored).set({ removed_at: now }).execute()
  return stored !== undefined
}

/** Locks the collection and its documents against other writers until the transaction ends. */
export const lockCollection = (tx: Tx, workspaceId: string, id: string): Promise<Collection | undefined> =>
  collections(tx, workspaceId).where('id', '=', uuidOrNull('col', id)).forNoKeyUpdate().$call(takeFirst(collectionOf))

export const uuidOfCollection = ({ id }: Pick<Collection, 'id'>): string => fromId('col', id) as string

/** Locks the Workspace's row, so that two transactions cannot take the same name. */
const lockNames = (tx: Tx, workspaceId: string) =>
  tx.selectFrom('workspace').select('id').where('id', '=', uuidOfWorkspace(workspaceId)).forNoKeyUpdate().execute()

const collections = (db: Db, workspaceId: string) =>
  db
    .selectFrom('knowledge_collection')
    .selectAll()
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('removed_at', 'is', null)

const updateOf = (tx: Tx, { id, workspaceId }: Collection) =>
  tx
    .updateTable('knowledge_collection')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOfCollection({ id }))

function columnsOf({ name, description, language, applications, ...labels }: typeof COLLECTION_DEFAULTS & CollectionCreate) {
  return { name, description, language, applications: jsonOrNull(applications), ...labelColumns(normalizedLabels(labels)) }
}
