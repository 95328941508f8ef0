import type { Tx } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import { moveChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { type Access, accessOf } from './labels.ts'
import { OWN_PARTITION_ENTRIES, ownPartitionIfLarge, type Place } from './partitions.ts'

/** Moves the documents with these labels to a partition of their own, if they have become many. The collection must be locked. */
export async function gatherIfLarge(
  tx: Tx,
  collection: Collection,
  place: Place,
  access: Access,
  large = OWN_PARTITION_ENTRIES,
): Promise<void> {
  const own = await ownPartitionIfLarge(tx, collection, place, access, large)
  if (!own) return
  const workspace = uuidOfWorkspace(collection.workspaceId)
  const stored = await tx
    .selectFrom('knowledge_document')
    .select(['id', 'title', 'classification', 'acl', 'limits'])
    .where('workspace_id', '=', workspace)
    .where('partition_id', '=', place.partition.id)
    .execute()
  const wanted = canonicalJson(accessOf(access))
  for (const { id, title, ...labels } of stored) {
    if (canonicalJson(accessOf(labels)) !== wanted) continue
    await tx
      .updateTable('knowledge_document')
      .set({ partition_id: own.partition.id })
      .where('workspace_id', '=', workspace)
      .where('id', '=', id)
      .execute()
    await moveChunks(tx, { workspace, document: id, title }, place.partition.id, own)
  }
}
