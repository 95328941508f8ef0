import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import { newUuid } from '../../platform/lib/id.ts'
import { listHidden } from '../retrieval/list-hidden.ts'
import { openPartition, type Partition } from '../retrieval/partition.ts'
import { addHiddenChunks, type NewChunk } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { uuidOfCollection } from './collection-store.ts'
import type { StoredDocument } from './document-store.ts'
import { type Access, accessOf } from './labels.ts'
import { extendVersion, freePosition, insertVersion, takeVersion } from './version-store.ts'

/**
 * Documents with more chunks are large. All chunks of one in a single transaction would block the embedded database for seconds, so each
 * version of a large document gets a new partition, which is written in parts. No search reads it until a short transaction lists it.
 */
export const MAX_CHUNKS_AT_ONCE = 512
/** One transaction writes so many. */
const PART = 64

/** A version that is not active yet. */
export interface WrittenVersion {
  readonly partition: Partition
  /** UUID. */
  readonly document: string
  readonly firstPosition: number
}

/** Begins a version of a stored document, in the language of `collection`. The collection must be locked. */
export async function beginVersion(
  tx: Tx,
  collection: Collection,
  document: StoredDocument,
  chunks: number,
): Promise<WrittenVersion> {
  const key = `${collection.id} document ${newUuid()}`
  const partition = await openPartition(tx, uuidOfWorkspace(collection.workspaceId), 'knowledge', key, collection.language)
  const firstPosition = await freePosition(tx, document, chunks, document)
  await insertVersion(tx, document, { partitionId: partition.id, firstPosition, chunks }, { expired: false })
  return { partition, document: uuidOf('doc', document.id), firstPosition }
}

/** Writes the chunks of a version that has begun. Returns false if the document was deleted in the meantime. */
export async function writeVersion(
  db: Db,
  workspaceId: string,
  { partition, document, firstPosition }: WrittenVersion,
  { title, chunks }: { readonly title: string; readonly chunks: readonly NewChunk[] },
): Promise<boolean> {
  const owner = { workspace: uuidOfWorkspace(workspaceId), document, title }
  for (let at = 0; at < chunks.length; at += PART) {
    const isKept = await db.transaction().execute(async (tx) => {
      if (!(await extendVersion(tx, workspaceId, partition.id))) return false
      await addHiddenChunks(tx, owner, { partition, firstPosition }, chunks.slice(at, at + PART))
      return true
    })
    if (!isKept) return false
  }
  await listHidden(db, partition.id)
  return true
}

/**
 * Lists the partition of a written version, so that searches find it. The collection must be locked. Returns false if the version has expired, or
 * the collection has another language since: it cannot become active.
 */
export async function listVersion(
  tx: Tx,
  collection: Collection,
  { partition: { id, language }, document }: WrittenVersion,
  access: Access,
): Promise<boolean> {
  if (language !== collection.language || !(await takeVersion(tx, collection.workspaceId, id))) return false
  const owner = {
    workspace_id: uuidOfWorkspace(collection.workspaceId),
    collection_id: uuidOfCollection(collection),
    document_id: document,
  }
  await tx
    .insertInto('knowledge_partition')
    .values({ ...owner, id, language, access: canonicalJson(accessOf(access)) })
    .execute()
  return true
}

/** Changes who may see a large document. */
export async function relabelVersion(tx: Tx, document: StoredDocument, access: Access): Promise<void> {
  await tx
    .updateTable('knowledge_partition')
    .set({ access: canonicalJson(accessOf(access)) })
    .where('workspace_id', '=', uuidOfWorkspace(document.workspaceId))
    .where('id', '=', document.partitionId)
    .execute()
}

/** Hides a version of a large document, whose row no longer refers to its partition. A job removes it. */
export async function retireVersion(tx: Tx, document: StoredDocument): Promise<void> {
  const { workspaceId, partitionId, firstPosition, chunks } = document
  if (partitionId === null) return
  await tx
    .deleteFrom('knowledge_partition')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', partitionId)
    .execute()
  await insertVersion(tx, document, { partitionId, firstPosition, chunks }, { expired: true })
}
