import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { deletePartition, emptyPartition } from '../retrieval/empty-partition.ts'
import { removeEntries } from '../retrieval/entries.ts'

/**
 * Removes up to `limit` chunks of one deleted collection of any Workspace, then its documents and the collection itself; `sweepVersions` removes the
 * chunks of large documents. Returns false if it has found nothing to remove. Results do not depend on it: searches and lists already leave
 * out a deleted collection.
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
    const own = { workspace, collection: id }
    const removed = (await retireLarge(tx, own)) + (await removeChunksIn(tx, own, limit)) + (await removeDocumentsIn(tx, own))
    const left = tx.selectFrom('knowledge_document').select('id').where('workspace_id', '=', workspace)
    if (await left.where('collection_id', '=', id).limit(1).executeTakeFirst()) return removed > 0
    await tx.deleteFrom('knowledge_partition').where('workspace_id', '=', workspace).where('collection_id', '=', id).execute()
    await tx.deleteFrom('knowledge_collection').where('workspace_id', '=', workspace).where('id', '=', id).execute()
    return true
  })
}

/** UUIDs. */
interface Owner {
  readonly workspace: string
  readonly collection: string
}

/** Returns the number of large documents. */
async function retireLarge(tx: Tx, { workspace, collection }: Owner): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update knowledge_document as document set partition_id = null from knowledge_partition as partition
    where document.workspace_id = ${workspace} and document.collection_id = ${collection}
      and partition.id = document.partition_id and partition.document_id = document.id
    returning document.id`.execute(tx)
  if (rows.length === 0) return 0
  await sql`
    with retired as (
      delete from knowledge_partition where workspace_id = ${workspace} and collection_id = ${collection}
        and document_id = any(${rows.map(({ id }) => id)}::uuid[]) returning id, document_id
    )
    insert into knowledge_version (partition_id, workspace_id, document_id, first_position, chunks, expires_at)
    select id, ${workspace}, document_id, 0, 0, now() from retired`.execute(tx)
  return rows.length
}

/** Returns the number of chunks. */
async function removeChunksIn(tx: Tx, { workspace, collection }: Owner, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    delete from knowledge_chunk where workspace_id = ${workspace} and id = any(array(
      select chunk.id from knowledge_document as document
      join knowledge_chunk as chunk on chunk.document_id = document.id and chunk.partition_id = document.partition_id
      where document.workspace_id = ${workspace} and document.collection_id = ${collection}
      order by document.id, chunk.position limit ${limit}
    )) returning id`.execute(tx)
  await removeEntries(
    tx,
    rows.map(({ id }) => id),
  )
  return rows.length
}

/** Returns the number of documents. */
async function removeDocumentsIn(tx: Tx, { workspace, collection }: Owner): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from knowledge_document as document where workspace_id = ${workspace} and collection_id = ${collection}
      and not exists (select from knowledge_chunk as chunk where chunk.document_id = document.id)`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}

/**
 * Removes up to `limit` chunks of one version of a large document that has expired, in any Workspace, or a part of its lists. Returns false if
 * none is left. Results do not depend on it, because no search reads such a version.
 */
export async function sweepVersions(db: Db, limit: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const version = await tx
      .selectFrom('knowledge_version')
      .select(['partition_id as partition', 'workspace_id as workspace', 'document_id as document'])
      .where('expires_at', '<=', sql<Date>`now()`)
      .orderBy('expires_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!version) return false
    const { partition, workspace, document } = version
    const { ids, isEmpty } = await emptyPartition(tx, partition, limit)
    const chosen = sql<boolean>`id = any(${[...ids]}::uuid[])`
    await tx.deleteFrom('knowledge_chunk').where('workspace_id', '=', workspace).where(chosen).execute()
    if (!isEmpty) return true
    await tx.deleteFrom('knowledge_version').where('workspace_id', '=', workspace).where('partition_id', '=', partition).execute()
    await deletePartition(tx, partition)
    await failInterrupted(tx, workspace, document)
    return true
  })
}

const INTERRUPTED = {
  code: 'interrupted',
  message: 'The server stopped while it stored the file. Upload it again.',
}

/** A document without content whose only version was not completed, and that no queued file will complete. */
async function failInterrupted(tx: Tx, workspace: string, document: string): Promise<void> {
  await sql`
    update knowledge_document as document set state = 'failed',
      failure = ${JSON.stringify(INTERRUPTED)}::jsonb || jsonb_build_object('at', to_json(now()))
    where workspace_id = ${workspace} and id = ${document} and state = 'parsed'
      and not exists (select from knowledge_upload as upload where upload.document_id = document.id)
      and not exists (select from knowledge_version as version where version.document_id = document.id)`.execute(tx)
}
