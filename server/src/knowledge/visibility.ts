import type { Db } from '../db/database.ts'
import { uuidOfWorkspace } from '../db/values.ts'
import type { Classification } from '../domain/classification.ts'
import type { Viewer } from '../domain/viewer.ts'
import { toId } from '../lib/id.ts'
import type { Language } from '../retrieval/language.ts'
import type { Partition } from '../retrieval/partition.ts'
import { type Access, type CollectionLabels, effectiveClassification, isVisible } from './labels.ts'

/** A partition that someone may see, and what its collection makes of it. */
export interface VisiblePartition extends Partition {
  readonly collection: { readonly id: string; readonly name: string; readonly regulations: readonly string[] }
  readonly classification: Classification
}

/** A partition with all that decides who sees it. */
export interface LabelledPartition extends VisiblePartition {
  readonly labels: CollectionLabels
  readonly access: Access
}

/**
 * The partitions that someone may see, in the order of their ids; with `chosen`, only those of the collections of these names or
 * ids. Read anew for each search, so that whatever was changed counts from the next one on.
 */
export async function visiblePartitions(
  db: Db,
  viewer: Viewer,
  chosen: readonly string[] | undefined,
): Promise<readonly VisiblePartition[]> {
  const all = await labelledPartitions(db, viewer.workspaceId, chosen)
  return all
    .filter(({ labels, access }) => isVisible(viewer, labels, access))
    .map(({ id, language, collection, classification }) => ({ id, language, collection, classification }))
}

/** All partitions, whoever may see them, in the order of their ids; with `chosen`, only those of these collections. */
export async function labelledPartitions(
  db: Db,
  workspaceId: string,
  chosen: readonly string[] | undefined,
): Promise<readonly LabelledPartition[]> {
  const workspace = uuidOfWorkspace(workspaceId)
  const rows = await db
    .selectFrom('knowledge_partition as partition')
    .innerJoin('knowledge_collection as collection', 'collection.id', 'partition.collection_id')
    .where('partition.workspace_id', '=', workspace)
    .where('collection.workspace_id', '=', workspace)
    .where('collection.removed_at', 'is', null)
    .select(['partition.id', 'partition.language', 'partition.access'])
    .select(['collection.id as collection', 'name', 'classification', 'regulations', 'acl', 'applications'])
    .orderBy('partition.id')
    .execute()
  return rows.flatMap(({ id, language, collection, name, ...row }) => {
    const labels = row as CollectionLabels
    const access = row.access as Access
    const collectionId = toId('col', collection)
    if (chosen && !chosen.includes(name) && !chosen.includes(collectionId)) return []
    return {
      id,
      language: language as Language,
      collection: { id: collectionId, name, regulations: labels.regulations },
      classification: effectiveClassification(labels, access),
      labels,
      access,
    }
  })
}
