import type { Db } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import type { Acl } from './acl.ts'
import type { Collection } from './collection.ts'
import { uuidOfCollection } from './collection-store.ts'

/** The access list of the source that copies the document of this key; undefined: it has none, or no source copies it. */
export async function findSourceList(
  db: Db,
  collection: Pick<Collection, 'workspaceId' | 'id'>,
  key: string,
): Promise<Acl | undefined> {
  const row = await db
    .selectFrom('knowledge_source as source')
    .innerJoin('knowledge_source_file as file', 'file.source_id', 'source.id')
    .select('acl')
    .where('source.workspace_id', '=', uuidOfWorkspace(collection.workspaceId))
    .where('source.collection_id', '=', uuidOfCollection(collection))
    .where('source.acl', 'is not', null)
    .where('file.key', '=', key)
    .executeTakeFirst()
  return row?.acl ?? undefined
}

/**
 * The document with the access list of its source, if that has one, whatever list it brings. In a transaction the collection must be locked,
 * so that the list does not change before the document is stored.
 */
export async function withSourceList<D extends { readonly key: string; readonly acl?: Acl | null | undefined }>(
  db: Db,
  collection: Pick<Collection, 'workspaceId' | 'id'>,
  document: D,
): Promise<D> {
  const acl = await findSourceList(db, collection, document.key)
  return acl ? { ...document, acl } : document
}
