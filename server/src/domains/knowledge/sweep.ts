import type { Db } from '../../platform/db/database.ts'
import { removeChunks } from './chunk-store.ts'

/**
 * Removes documents of one deleted collection of any Workspace, then the collection itself. One run removes at most `limit` chunks,
 * or one document that has more, because the transaction blocks other writers. Returns false if no deleted collection is left.
 * Results do not depend on it: searches and lists already leave out a deleted collection.
 */
export async function sweepCollections(db: Db, limit: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const collection = await tx
      .selectFrom('knowledge_collection')
      .select(['id', 'workspace_id as workspace'])
      .where('removed_at', 'is not', null)
      .orderBy('removed_at')
      .orderBy('id')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!collection) return false
    const { id, workspace } = collection
    const due = await tx
      .selectFrom('knowledge_document')
      .select(['id', 'chunks'])
      .where('workspace_id', '=', workspace)
      .where('collection_id', '=', id)
      .limit(limit)
      .execute()
    let room = limit
    const documents: string[] = []
    for (const document of due) {
      if (documents.length > 0 && document.chunks > room) break
      documents.push(document.id)
      room -= document.chunks
    }
    await removeChunks(tx, workspace, documents)
    if (documents.length > 0) {
      await tx.deleteFrom('knowledge_document').where('workspace_id', '=', workspace).where('id', 'in', documents).execute()
    }
    if (due.length === limit || documents.length < due.length) return true
    await tx.deleteFrom('knowledge_partition').where('workspace_id', '=', workspace).where('collection_id', '=', id).execute()
    await tx.deleteFrom('knowledge_collection').where('workspace_id', '=', workspace).where('id', '=', id).execute()
    return true
  })
}
