import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { DeniedEntry, EntryFilter } from './entry-filter.ts'
import type { Language } from './language.ts'
import type { PartitionKind } from './tables.ts'

/** Entries with the same visibility, or entries that a filter chooses by their labels. */
export interface Partition {
  readonly id: number
  readonly language: Language
  /** Absent: a user that may see one of its entries may see all of them. */
  readonly filter?: EntryFilter
  /** Entries that are left out, as if they did not exist. Absent: none. */
  readonly denied?: readonly DeniedEntry[]
}

/** Finds or creates the partition with this key. An existing one keeps its language. Safe for concurrent calls. */
export async function openPartition(
  tx: Tx,
  workspaceUuid: string,
  kind: PartitionKind,
  key: string,
  language: Language,
): Promise<Partition> {
  const existing = await findPartition(tx, workspaceUuid, kind, key)
  if (existing) return existing
  const created = await tx
    .insertInto('retrieval_partition')
    .values({ workspace_id: workspaceUuid, kind, key, language })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'kind', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  const partition = created ? { id: created.id, language } : await findPartition(tx, workspaceUuid, kind, key)
  if (!partition) throw new Error(`the partition ${kind} ${key} was created by another transaction and cannot be found`)
  return partition
}

async function findPartition(db: Db, workspaceUuid: string, kind: PartitionKind, key: string): Promise<Partition | undefined> {
  return db
    .selectFrom('retrieval_partition')
    .select(['id', 'language'])
    .where('workspace_id', '=', workspaceUuid)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
}

/**
 * Locks these partitions until the transaction ends, ordered by id. `addEntries` and `removeEntries` lock their own partitions; a
 * transaction that uses both on different partitions must call this first with all of them, to prevent deadlocks.
 */
export async function lockPartitions(tx: Tx, ids: readonly number[]): Promise<void> {
  const chosen = sql<boolean>`id = any(${[...ids]}::bigint[])`
  await tx.selectFrom('retrieval_partition').select('id').where(chosen).orderBy('id').forNoKeyUpdate().execute()
}
