import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { Classification } from '../../shared/classification.ts'
import { upTo, type Viewer } from '../../shared/viewer.ts'
import { withoutEntries } from '../retrieval/denied-entries.ts'
import { filterFor } from './access-filter.ts'
import { type HitJudge, withoutDenied } from './denied-documents.ts'
import { effectiveClassification, isVisible } from './labels.ts'
import type { LabelledPartition } from './partitions.ts'
import { entriesOfFormerLists } from './relabel-sources.ts'

export interface Choice {
  /** Names or ids of collections; undefined: all. */
  readonly collections: readonly string[] | undefined
  /** Denies documents by their labels; undefined: no policy does. */
  readonly judge?: HitJudge | undefined
}

/**
 * The partitions that the viewer may see, of shared ones the visible entries, without documents that the judge denies. Each search reads them
 * again, so that changed labels apply from the next search on.
 */
export async function visiblePartitions(
  db: Db,
  viewer: Viewer,
  { collections, judge }: Choice,
): Promise<readonly LabelledPartition[]> {
  const partitions = await partitionsFor(db, viewer, collections, true)
  const visible = withoutEntries(partitions, await entriesOfFormerLists(db, viewer))
  return judge ? withoutDenied(db, viewer.workspaceId, visible, judge) : visible
}

/** The partitions with documents that the viewer may not see, of shared ones the hidden entries. */
export const hiddenPartitions = (db: Db, viewer: Viewer, { collections }: Choice): Promise<readonly LabelledPartition[]> =>
  partitionsFor(db, viewer, collections, false)

async function partitionsFor(
  db: Db,
  viewer: Viewer,
  chosen: readonly string[] | undefined,
  areVisible: boolean,
): Promise<readonly LabelledPartition[]> {
  const all = await labelledPartitions(db, viewer.workspaceId, chosen)
  return all.flatMap((partition) => {
    const { labels, access } = partition
    const canSee = isVisible(viewer, labels, access)
    if (!access.shared || !canSee) return canSee === areVisible ? [partition] : []
    return [{ ...partition, filter: { ...filterFor(viewer, labels), inverted: !areVisible } }]
  })
}

/** Ordered by id. */
async function labelledPartitions(
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
    const { access, ...labels } = row
    const collectionId = toId('col', collection)
    if (chosen && !chosen.includes(name) && !chosen.includes(collectionId)) return []
    return {
      id,
      language,
      collection: { id: collectionId, name, regulations: labels.regulations },
      classification: effectiveClassification(labels, access),
      labels,
      access,
    }
  })
}

/** A query for the ids of the partitions, of all Workspaces, whose texts have at most this classification. */
export const chunkPartitionsUpTo = (ceiling: Classification): RawBuilder<unknown> => sql`
  select own.id from knowledge_partition own join knowledge_collection collection on collection.id = own.collection_id
  where collection.classification = any(${upTo(ceiling)})
    and coalesce(own.access ->> 'classification', 'public') = any(${upTo(ceiling)})
    and coalesce(own.access -> 'limits' ->> 'classification', 'public') = any(${upTo(ceiling)})`
