import type { Db, Tx } from '../db/database.ts'
import type { Classification } from '../domain/classification.ts'
import { fromId, newUuid } from '../lib/id.ts'
import type { Language } from '../retrieval/language.ts'
import { openPartition, type Partition } from '../retrieval/partition.ts'
import { uuidOf } from './memory-row.ts'
import { type MemoryOwner, ownerKey } from './owner.ts'

/** An owner's row, held until the transaction ends. */
export interface HeldOwner {
  readonly workspace: string
  /** UUID of the row. */
  readonly id: string
}

/** Memories are short and in any language: English is stemmed, what is not English is taken nearly as it is. */
const LANGUAGE: Language = 'en'

/** Makes the owner known, and waits until nobody else writes its memories. */
export async function holdOwner(tx: Tx, owner: MemoryOwner): Promise<HeldOwner> {
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
    // An update that changes nothing: unlike `do nothing` it locks the row, and answers it.
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'key']).doUpdateSet((update) => ({ scope: update.ref('excluded.scope') })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return { workspace, id }
}

/** Waits until nobody else writes memories of these owners; one order for all, so that nobody waits for one who waits. */
export async function holdOwners(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.selectFrom('memory_owner').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
}

/** Forgets owners of whom nothing is remembered any more. They must be held. */
export async function forgetIdle(tx: Tx, workspace: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .deleteFrom('memory_owner')
    .where('workspace_id', '=', workspace)
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memory_item').select('id').whereRef('memory_item.owner_id', '=', 'memory_owner.id'))),
    )
    .execute()
}

/** Where the owner's memories of one classification are found. */
export async function partitionOf(tx: Tx, owner: HeldOwner, classification: Classification): Promise<Partition> {
  const there = await tx
    .selectFrom('memory_partition')
    .select(['partition_id', 'language'])
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where('classification', '=', classification)
    .executeTakeFirst()
  if (there) return { id: there.partition_id, language: there.language as Language }
  // By the row's id, which says nothing of the owner once the row is gone.
  const partition = await openPartition(tx, owner.workspace, 'memory', `${owner.id} ${classification}`, LANGUAGE)
  const { id: partition_id, language } = partition
  await tx
    .insertInto('memory_partition')
    .values({ workspace_id: owner.workspace, owner_id: owner.id, classification, partition_id, language })
    .execute()
  return partition
}

/** Where memories of these owners up to these classifications are found, and the owners' rows. */
export async function partitionsOf(db: Db, owners: readonly MemoryOwner[], classifications: readonly Classification[]) {
  const workspace = fromId('ws', owners[0]?.workspaceId ?? '')
  if (workspace === undefined || classifications.length === 0) return []
  const rows = await db
    .selectFrom('memory_owner as owner')
    .innerJoin('memory_partition as part', 'part.owner_id', 'owner.id')
    .select(['owner.id as ownerId', 'part.partition_id as id', 'part.language'])
    .where('owner.workspace_id', '=', workspace)
    .where('part.workspace_id', '=', workspace)
    .where('owner.key', 'in', owners.map(ownerKey))
    .where('part.classification', 'in', classifications)
    .orderBy('part.partition_id')
    .execute()
  return rows.map(({ language, ...row }) => ({ ...row, language: language as Language }))
}
