import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import { lockCollection } from './collection-store.ts'
import { deleteDocument } from './document-store.ts'

/** Documents of a collection: those of the keys, or those whose source begins with a text. Attachments belong to the file that contains them. */
export type DocumentSelection = { readonly keys: readonly string[] } | { readonly source: string }

export interface DeletedDocument {
  readonly documentId: string
  readonly key: string
}

/** How many documents of the collection are selected, and how many it has. */
export async function countSelected(
  db: Db,
  workspaceId: string,
  collectionId: string,
  selection: DocumentSelection,
): Promise<{ readonly selected: number; readonly all: number }> {
  const row = await documents(db, workspaceId, collectionId)
    .select(({ fn }) => fn.countAll<number>().as('all'))
    .select((eb) => eb.fn.countAll<number>().filterWhere(matches(selection)).as('selected'))
    .executeTakeFirstOrThrow()
  return { selected: Number(row.selected), all: Number(row.all) }
}

/** Deletes up to `most` of the selected documents with their attachments, oldest first. Returns undefined if there is no such collection. */
export async function deleteSelected(
  tx: Tx,
  workspaceId: string,
  collectionId: string,
  selection: DocumentSelection,
  most: number,
): Promise<readonly DeletedDocument[] | undefined> {
  if (!(await lockCollection(tx, workspaceId, collectionId))) return undefined
  const rows = await documents(tx, workspaceId, collectionId)
    .select(['id', 'key'])
    .where(matches(selection))
    .orderBy('id')
    .limit(most)
    .execute()
  const selected = rows.map(({ id, key }) => ({ documentId: toId('doc', id), key }))
  for (const { documentId } of selected) await deleteDocument(tx, workspaceId, documentId)
  return selected
}

const documents = (db: Db, workspaceId: string, collectionId: string) =>
  db
    .selectFrom('knowledge_document')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('collection_id', '=', uuidOrNull('col', collectionId))
    .where('parent_id', 'is', null)

const matches = (selection: DocumentSelection) => (eb: ExpressionBuilder<Schema, 'knowledge_document'>) =>
  'keys' in selection
    ? eb('key', '=', sql<string>`any(${[...selection.keys]}::text[])`)
    : sql<boolean>`starts_with(source, ${selection.source})`
