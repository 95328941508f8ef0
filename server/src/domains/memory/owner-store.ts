import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { fromId, newUuid } from '../../platform/lib/id.ts'
import type { Classification } from '../../shared/classification.ts'
import { upTo } from '../../shared/viewer.ts'
import type { Language } from '../retrieval/language.ts'
import { openPartition, type Partition } from '../retrieval/partition.ts'
import { type MemoryOwner, ownerKey } from './owner.ts'

/** An owner's row (UUIDs), locked until the transaction ends. */
export type LockedOwner = { readonly workspace: string; readonly id: string }

/** Memories are short and in any language. English words are stemmed; words of other languages mostly stay unchanged. */
const LANGUAGE: Language = 'en'

/** Creates the owner if needed, and locks it against other writers. */
export async function lockOwner(tx: Tx, owner: MemoryOwner): Promise<LockedOwner> {
  const workspace = uuidOf('ws', owner.workspaceId)
  const { id } = await tx
    .insertInto('memory_owner')
    .values({
      id: newUuid(),
      workspace_id: workspace,
      key: ownerKey(owner),
      scope: owner.scope,
      scope_id: owner.scopeId,
      application_id: owner.applicationId === null ? null : uuidOf('app', owner.applicationId),
      user_id: owner.userId,
    })
    // An update without a change: unlike `do nothing`, it locks the row and returns it.
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'key']).doUpdateSet((update) => ({ scope: update.ref('excluded.scope') })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return { workspace, id }
}

/** Locks these owners against other writers, ordered by id to prevent deadlocks. */
export async function lockOwners(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.selectFrom('memory_owner').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
}

/** Deletes owners without memories. The owners must be locked. */
export async function deleteEmptyOwners(tx: Tx, workspace: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .deleteFrom('memory_owner')
    .where('workspace_id', '=', workspace)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memory_item').select('id').whereRef('memory_item.owner_id', '=', 'memory_owner.id'))),
    )
    .execute()
}

/** Creates the partition if needed. */
export async function openMemoryPartition(tx: Tx, owner: LockedOwner, classification: Classification): Promise<Partition> {
  const existing = await tx
    .selectFrom('memory_partition')
    .select(['partition_id', 'language'])
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where('classification', '=', classification)
    .executeTakeFirst()
  if (existing) return { id: existing.partition_id, language: existing.language }
  // The key uses the row's id, which reveals nothing about the owner once the row is deleted.
  const partition = await openPartition(tx, owner.workspace, 'memory', `${owner.id} ${classification}`, LANGUAGE)
  const { id: partition_id, language } = partition
  await tx
    .insertInto('memory_partition')
    .values({ workspace_id: owner.workspace, owner_id: owner.id, classification, partition_id, language })
    .execute()
  return partition
}

/** A search partition with the labels that its memories share. */
export type MemoryPartition = Awaited<ReturnType<typeof findMemoryPartitions>>[number]

/** The partitions of these owners' memories with these classifications, with the ids of the owners' rows. */
export async function findMemoryPartitions(db: Db, owners: readonly MemoryOwner[], classifications: readonly Classification[]) {
  const workspace = fromId('ws', owners[0]?.workspaceId ?? '')
  if (workspace === undefined || classifications.length === 0) return []
  return db
    .selectFrom('memory_owner as owner')
    .innerJoin('memory_partition as part', 'part.owner_id', 'owner.id')
    .select(['owner.id as ownerId', 'scope', 'scope_id as scopeId', 'classification', 'part.partition_id as id', 'part.language'])
    .where('owner.workspace_id', '=', workspace)
    .where('part.workspace_id', '=', workspace)
    .where('owner.key', 'in', owners.map(ownerKey))
    .where('part.classification', 'in', classifications)
    .orderBy('part.partition_id')
    .execute()
}

/** A query for the ids of the partitions, of all Workspaces, whose memories have at most this classification. */
export const memoryPartitionsUpTo = (ceiling: Classification): RawBuilder<unknown> => sql`
  select part.partition_id from memory_partition part where part.classification = any(${upTo(ceiling)})`
