import type { Selectable } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { type Page, type PageRequest, pageOf } from '../db/page.ts'
import type { KnowledgeDocumentTable } from '../db/schema.ts'
import { uuidOfWorkspace } from '../db/values.ts'
import type { Classification } from '../domain/classification.ts'
import { fromId, toId } from '../lib/id.ts'
import type { Language } from '../retrieval/language.ts'
import type { Acl } from './acl.ts'
import { removeChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { lockCollection } from './collection-store.ts'
import type { Flags, KnowledgeDocument } from './document.ts'
import type { Labels } from './labels.ts'
import { dropIfEmpty } from './partitions.ts'

export type StoredDocument = KnowledgeDocument & { readonly partitionId: number }

const documentOf = (row: Selectable<KnowledgeDocumentTable> & { language: string }): StoredDocument => ({
  id: toId('doc', row.id),
  workspaceId: toId('ws', row.workspace_id),
  collectionId: toId('col', row.collection_id),
  key: row.key,
  title: row.title,
  version: row.version,
  contentHash: row.content_hash.toString('hex'),
  mediaType: row.media_type,
  bytes: row.bytes,
  source: row.source,
  classification: row.classification as Classification | null,
  regulations: row.regulations,
  acl: row.acl as Acl | null,
  limits: row.limits as Labels,
  flags: row.flags as Flags | null,
  chunks: row.chunks,
  language: row.language as Language,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  partitionId: row.partition_id,
})

export async function findDocument(db: Db, workspaceId: string, id: string): Promise<StoredDocument | undefined> {
  const uuid = fromId('doc', id)
  if (uuid === undefined) return undefined
  const row = await documents(db, workspaceId).where('document.id', '=', uuid).executeTakeFirst()
  return row && documentOf(row)
}

export async function findDocumentByKey(
  db: Db,
  workspaceId: string,
  collectionId: string,
  key: string,
): Promise<StoredDocument | undefined> {
  const collection = fromId('col', collectionId)
  if (collection === undefined) return undefined
  const row = await documents(db, workspaceId)
    .where('document.collection_id', '=', collection)
    .where('document.key', '=', key)
    .executeTakeFirst()
  return row && documentOf(row)
}

export interface DocumentQuery extends PageRequest {
  readonly collectionId?: string | undefined
  /** Only those whose flags nobody has cleared. */
  readonly flagged?: boolean | undefined
}

/** Oldest first. Undefined when `after` or `collectionId` is no id. */
export async function listDocuments(
  db: Db,
  workspaceId: string,
  { limit, after, collectionId, flagged }: DocumentQuery,
): Promise<Page<KnowledgeDocument> | undefined> {
  let query = documents(db, workspaceId)
  if (collectionId !== undefined) {
    const collection = fromId('col', collectionId)
    if (collection === undefined) return undefined
    query = query.where('document.collection_id', '=', collection)
  }
  if (after !== undefined) {
    const last = fromId('doc', after)
    if (last === undefined) return undefined
    query = query.where('document.id', '>', last)
  }
  if (flagged) query = query.where('document.flags', 'is not', null)
  const rows = await query
    .orderBy('document.id')
    .limit(limit + 1)
    .execute()
  return pageOf(rows, limit, documentOf)
}

/** Says that somebody has looked at what was found in it. False when there is no such document. */
export async function clearFlags(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const held = await lockDocument(tx, workspaceId, id)
  const uuid = fromId('doc', id)
  if (!held || uuid === undefined) return false
  const workspace = uuidOfWorkspace(workspaceId)
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
    .execute()
  return true
}

/** False when there is no such document. */
export async function deleteDocument(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const held = await lockDocument(tx, workspaceId, id)
  const uuid = fromId('doc', id)
  if (!held || uuid === undefined) return false
  const workspace = uuidOfWorkspace(workspaceId)
  await removeChunks(tx, workspace, [uuid])
  await tx.deleteFrom('knowledge_document').where('workspace_id', '=', workspace).where('id', '=', uuid).execute()
  await dropIfEmpty(tx, workspaceId, held.document.partitionId)
  return true
}

/** The document as it stands once nobody else writes to its collection, until the transaction ends. */
export async function lockDocument(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<{ readonly collection: Collection; readonly document: StoredDocument } | undefined> {
  const seen = await findDocument(tx, workspaceId, id)
  const collection = seen && (await lockCollection(tx, workspaceId, seen.collectionId))
  const document = collection && (await findDocument(tx, workspaceId, id))
  return document && { collection, document }
}

const documents = (db: Db, workspaceId: string) =>
  db
    .selectFrom('knowledge_document as document')
    .innerJoin('knowledge_collection as collection', 'collection.id', 'document.collection_id')
    .innerJoin('knowledge_partition as partition', 'partition.id', 'document.partition_id')
    .where('document.workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('collection.removed_at', 'is', null)
    .selectAll('document')
    .select('partition.language')
