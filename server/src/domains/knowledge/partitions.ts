import { createHash } from 'node:crypto'
import type { Tx } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import { openPartition, type Partition } from '../retrieval/partition.ts'
import type { Collection } from './collection.ts'
import { uuidOfCollection } from './collection-store.ts'
import { type Access, accessOf } from './labels.ts'

/**
 * The partition of documents with these labels. The collection's own labels are not part of it: each search reads them, so that
 * changing them moves no documents. The collection must be locked.
 */
export async function partitionFor(tx: Tx, collection: Collection, labels: Access): Promise<Partition> {
  const workspace = uuidOfWorkspace(collection.workspaceId)
  const { language } = collection
  const access = canonicalJson(accessOf(labels))
  const hash = createHash('sha256').update(`${language} ${access}`).digest('hex')
  const partition = await openPartition(tx, workspace, 'knowledge', `${collection.id} ${hash}`, language)
  await tx
    .insertInto('knowledge_partition')
    .values({ id: partition.id, workspace_id: workspace, collection_id: uuidOfCollection(collection), language, access })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return partition
}

/** Deletes a partition that has no documents. The collection must be locked. */
export async function deleteIfEmpty(tx: Tx, workspaceId: string, partitionId: number): Promise<void> {
  await tx
    .deleteFrom('knowledge_partition')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', partitionId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('knowledge_document').select('id').whereRef('partition_id', '=', 'knowledge_partition.id'))),
    )
    .execute()
}
