import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { hasRow } from '../../platform/db/from-row.ts'
import { uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { Viewer } from '../../shared/viewer.ts'
import { deniedEntries } from '../retrieval/denied-entries.ts'
import type { DeniedEntry } from '../retrieval/entry-filter.ts'
import { allows } from './acl.ts'
import type { Collection } from './collection.ts'
import { lockCollection } from './collection-store.ts'
import { findDocumentByKey } from './document-store.ts'
import { relabelWithAttachments } from './relabel.ts'

/**
 * Gives up to `most` documents of one source of any Workspace its changed access list, in the order of their keys. Returns false if no source
 * has documents with a former list. Until a document has its list, `entriesOfFormerLists` hides it.
 */
export async function relabelDocumentsOfSources(db: Db, most: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const due = await tx
      .selectFrom('knowledge_source as source')
      .innerJoin('knowledge_collection as collection', 'collection.id', 'source.collection_id')
      .select(['source.id', 'source.workspace_id as workspace', 'collection_id as collection'])
      .where('relabelled_to', 'is not', null)
      .where('removed_at', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (!due) return false
    const collection = await lockCollection(tx, toId('ws', due.workspace), toId('col', due.collection))
    if (collection) await relabelNext(tx, collection, due.id, most)
    return true
  })
}

async function relabelNext(tx: Tx, collection: Collection, source: string, most: number): Promise<void> {
  const workspace = uuidOfWorkspace(collection.workspaceId)
  // Another node may have continued before the collection was locked.
  const files = await tx
    .selectFrom('knowledge_source as source')
    .innerJoin('knowledge_source_file as file', 'file.source_id', 'source.id')
    .select(['key', 'acl'])
    .where('source.workspace_id', '=', workspace)
    .where('source.id', '=', source)
    .whereRef('key', '>', 'relabelled_to')
    .orderBy('key')
    .limit(most)
    .execute()
  for (const { key, acl } of files) {
    const document = await findDocumentByKey(tx, collection.workspaceId, collection.id, key)
    if (document) await relabelWithAttachments(tx, collection, document, { acl })
  }
  await tx
    .updateTable('knowledge_source')
    .set({ relabelled_to: (files.length === most && files.at(-1)?.key) || null })
    .where('workspace_id', '=', workspace)
    .where('id', '=', source)
    .where('relabelled_to', 'is not', null)
    .execute()
}

/**
 * The entries of documents that still have a former access list of their source, and whose changed list does not permit the viewer. A search
 * leaves them out, so that a changed list applies from the next search on.
 */
export async function entriesOfFormerLists(db: Db, viewer: Viewer): Promise<readonly DeniedEntry[]> {
  const chunks = await chunksOfFormerLists(db, viewer)
  return chunks ? deniedEntries(db, chunks) : []
}

/** Whether the document is one of these. */
export async function hasFormerList(db: Db, viewer: Viewer, documentId: string): Promise<boolean> {
  const chunks = await chunksOfFormerLists(db, viewer)
  if (!chunks) return false
  return db
    .selectFrom('knowledge_chunk')
    .select('id')
    .where('workspace_id', '=', uuidOfWorkspace(viewer.workspaceId))
    .where('document_id', '=', uuidOf('doc', documentId))
    .where(sql<boolean>`id in (${chunks})`)
    .limit(1)
    .$call(hasRow)
}

/** A query for the ids of these chunks; undefined: there are none. */
async function chunksOfFormerLists(db: Db, viewer: Viewer): Promise<RawBuilder<unknown> | undefined> {
  const workspace = uuidOfWorkspace(viewer.workspaceId)
  const changed = await db
    .selectFrom('knowledge_source as source')
    .innerJoin('knowledge_collection as collection', 'collection.id', 'source.collection_id')
    .select(['source.id', 'source.acl', 'collection.acl as collection'])
    .where('source.workspace_id', '=', workspace)
    .where('relabelled_to', 'is not', null)
    .execute()
  const hidden = changed.filter(({ acl, collection }) => (acl === null ? collection === null : !allows(acl, viewer)))
  if (hidden.length === 0) return undefined
  const sources = hidden.map(({ id }) => id)
  return sql`
    with document as (
      select document.id from knowledge_source as source
      join knowledge_source_file as file on file.source_id = source.id and file.key > source.relabelled_to
      join knowledge_document as document on document.collection_id = source.collection_id and document.key = file.key
      where source.workspace_id = ${workspace} and source.id = any(${sources}::uuid[])
    )
    select chunk.id from knowledge_chunk as chunk where chunk.workspace_id = ${workspace} and chunk.document_id in (
      select id from document union all
      select attachment.id from knowledge_document as attachment join document on attachment.parent_id = document.id
    )`
}
