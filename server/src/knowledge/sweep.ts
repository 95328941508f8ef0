import type { Db } from '../db/database.ts'
import { removeChunks } from './chunk-store.ts'

/**
 * Removes documents of one collection that has been deleted, in whichever Workspace, and the collection itself after its last: as many
 * as have `limit` chunks together, since others wait for the transaction, or one that has more. False when none is left. Nothing depends on it for what callers see: a deleted collection is gone from all of it.
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
