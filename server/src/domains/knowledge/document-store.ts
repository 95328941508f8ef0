import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { type Entity, fromRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { uuidOf, uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { fromId, newUuid } from '../../platform/lib/id.ts'
import type { Language } from '../retrieval/language.ts'
import { removeChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { lockCollection } from './collection-store.ts'
import type { DocumentState } from './document.ts'
import { deleteIfEmpty } from './partitions.ts'
import { expireAll } from './version-store.ts'

export interface StoredDocument extends Omit<Entity<'knowledge_document'>, 'contentHash'> {
  /** In hexadecimal. */
  readonly contentHash: string
  /** The language that it is indexed in. */
  readonly language: Language
  /** Whether the active version is the only one in its partition (large-versions.ts). */
  readonly isLarge: boolean
}

/** A document without its text. Ids are TypeIDs (`doc_…`). */
export type KnowledgeDocument = Omit<StoredDocument, 'partitionId' | 'firstPosition' | 'isLarge'>

const documentOf = (row: RowOf<'knowledge_document'> & Pick<StoredDocument, 'language' | 'isLarge'>): StoredDocument => ({
  ...fromRow(row, { id: 'doc', workspace_id: 'ws', collection_id: 'col', parent_id: 'doc' }),
  contentHash: row.content_hash.toString('hex'),
})

export const findDocument = (db: Db, workspaceId: string, id: string): Promise<StoredDocument | undefined> =>
  documents(db, workspaceId).where('document.id', '=', uuidOrNull('doc', id)).$call(takeFirst(documentOf))

export const findDocumentByKey = (
  db: Db,
  workspaceId: string,
  collectionId: string,
  key: string,
): Promise<StoredDocument | undefined> =>
  documents(db, workspaceId)
    .where('document.collection_id', '=', uuidOrNull('col', collectionId))
    .where('document.key', '=', key)
    .$call(takeFirst(documentOf))

interface DocumentQuery extends PageRequest {
  readonly collectionId?: string | undefined
  /** Only documents with flags that no operator has cleared. */
  readonly flagged?: boolean | undefined
  readonly state?: DocumentState | undefined
  /** Only documents whose warnings were not kept. */
  readonly lackWarnings?: boolean | undefined
  /** The text that the source begins with. */
  readonly source?: string | undefined
  /** Words that the title and the key contain, in any order, as parts of words too and in any case. */
  readonly text?: string | undefined
}

/** Oldest first. Returns undefined if `after` or `collectionId` is not an id. */
export async function listDocuments(
  db: Db,
  workspaceId: string,
  { collectionId, flagged, state, lackWarnings, source, text = '', ...page }: DocumentQuery,
): Promise<Page<KnowledgeDocument> | undefined> {
  let query = documents(db, workspaceId)
  if (collectionId !== undefined) {
    const collection = fromId('col', collectionId)
    if (collection === undefined) return undefined
    query = query.where('document.collection_id', '=', collection)
  }
  // Literally, so that the index of unfinished documents serves it.
  if (state !== undefined) query = query.where('document.state', '=', sql.lit(state))
  if (source !== undefined) query = query.where(sql<boolean>`starts_with(document.source, ${source})`)
  for (const word of text.split(/\s+/u).filter(Boolean)) {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
    query = query.where(({ or, eb }) => or([eb('document.title', 'ilike', pattern), eb('document.key', 'ilike', pattern)]))
  }
  if (flagged) query = query.where('document.flags', 'is not', null)
  if (lackWarnings) query = query.where('document.warnings', 'is', null)
  return pageById(query, 'doc', page, documentOf, { column: 'document.id' })
}

/** Clears the flags after an operator has checked the findings. Returns false if there is no such document. */
export async function clearFlags(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const locked = await lockDocument(tx, workspaceId, id)
  if (!locked) return false
  const [workspace, uuid] = [uuidOfWorkspace(workspaceId), uuidOf('doc', id)]
  await tx
    .updateTable('knowledge_document')
    .set({ flags: null })
    .where('workspace_id', '=', workspace)
    .where('id', '=', uuid)
    .execute()
  await tx
    .updateTable('knowledge_chunk')
    .set({ flagged: false })
    .where('workspace_id', '=', workspace)
    .where('document_id', '=', uuid)
    .where('partition_id', '=', locked.document.partitionId)
    .execute()
  return true
}

/** The attachments of a document that are documents of their own, also those of its attachments. */
export async function listAttachments(db: Db, workspaceId: string, parentId: string): Promise<readonly StoredDocument[]> {
  const rows = await documents(db, workspaceId)
    .where('document.parent_id', '=', uuidOrNull('doc', parentId))
    .orderBy('document.id')
    .execute()
  return rows.map(documentOf)
}

/** Deletes a document with its attachments; jobs remove the content of large ones. Returns false if there is no such document. */
export async function deleteDocument(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const locked = await lockDocument(tx, workspaceId, id)
  if (!locked) return false
  for (const document of [...(await listAttachments(tx, workspaceId, id)), locked.document]) {
    if ((await expireAll(tx, document)) || document.isLarge) await removeLater(tx, document)
    else await removeNow(tx, document)
  }
  return true
}

async function removeNow(tx: Tx, { workspaceId, id, partitionId }: StoredDocument): Promise<void> {
  const [workspace, uuid] = [uuidOfWorkspace(workspaceId), uuidOf('doc', id)]
  if (partitionId !== null) await removeChunks(tx, workspace, uuid, partitionId)
  await tx.deleteFrom('knowledge_document').where('workspace_id', '=', workspace).where('id', '=', uuid).execute()
  if (partitionId !== null) await deleteIfEmpty(tx, workspaceId, partitionId)
}

/** Moves a document, and the partition of a large one, to a deleted collection, which hides it at once (sweep.ts). */
async function removeLater(tx: Tx, { workspaceId, id, partitionId, key, isLarge }: StoredDocument): Promise<void> {
  const [workspace, collection] = [uuidOfWorkspace(workspaceId), newUuid()]
  await tx
    .insertInto('knowledge_collection')
    .values({
      ...{ id: collection, workspace_id: workspace, name: key, description: '', language: 'en', regulations: '[]' },
      ...{ classification: null, acl: null, applications: null },
      ...{ created_at: sql`now()`, updated_at: sql`now()`, removed_at: sql`now()` },
    })
    .execute()
  const moved = { collection_id: collection }
  await tx
    .updateTable('knowledge_document')
    .set(moved)
    .where('workspace_id', '=', workspace)
    .where('id', '=', uuidOf('doc', id))
    .execute()
  if (!isLarge) return
  const partition = tx.updateTable('knowledge_partition').set(moved).where('workspace_id', '=', workspace)
  await partition.where('id', '=', partitionId).execute()
}

/** Locks the document's collection until the transaction ends, and reads the document under the lock. */
export async function lockDocument(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<{ readonly collection: Collection; readonly document: StoredDocument } | undefined> {
  const unlocked = await findDocument(tx, workspaceId, id)
  const collection = unlocked && (await lockCollection(tx, workspaceId, unlocked.collectionId))
  const document = collection && (await findDocument(tx, workspaceId, id))
  return document && { collection, document }
}

const documents = (db: Db, workspaceId: string) =>
  db
    .selectFrom('knowledge_document as document')
    .innerJoin('knowledge_collection as collection', 'collection.id', 'document.collection_id')
    .leftJoin('knowledge_partition as partition', 'partition.id', 'document.partition_id')
    .where('document.workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('collection.removed_at', 'is', null)
    .selectAll('document')
    .select(sql<Language>`coalesce(partition.language, collection.language)`.as('language'))
    .select(sql<boolean>`partition.document_id is not null`.as('isLarge'))
