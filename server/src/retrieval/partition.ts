import type { Db, Tx } from '../db/database.ts'
import type { Language } from './language.ts'

/** A visibility class: whoever may see one of its entries may see all of them. */
export interface Partition {
  readonly id: number
  readonly language: Language
}

/** The partition of that key, made when it is new. One that is there keeps its language. Safe when many do it at once. */
export async function openPartition(
  tx: Tx,
  workspaceUuid: string,
  kind: 'knowledge' | 'memory',
  key: string,
  language: Language,
): Promise<Partition> {
  const there = await findPartition(tx, workspaceUuid, kind, key)
  if (there) return there
  const made = await tx
    .insertInto('retrieval_partition')
    .values({ workspace_id: workspaceUuid, kind, key, language })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'kind', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  const partition = made ? { id: made.id, language } : await findPartition(tx, workspaceUuid, kind, key)
  if (!partition) throw new Error(`the partition ${kind} ${key} was made and is gone`)
  return partition
}

async function findPartition(db: Db, workspaceUuid: string, kind: string, key: string): Promise<Partition | undefined> {
  const row = await db
    .selectFrom('retrieval_partition')
    .select(['id', 'language'])
    .where('workspace_id', '=', workspaceUuid)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
  return row && { id: row.id, language: row.language as Language }
}

/**
 * Holds these partitions until the transaction ends, in the order of their ids. Adding and removing do it by themselves; who does both
 * in one transaction, in different partitions, calls this first with all of them, or may meet somebody who goes the other way.
 */
export async function lockPartitions(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.selectFrom('retrieval_partition').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()
}
