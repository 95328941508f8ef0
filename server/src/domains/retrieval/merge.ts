import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { countsOf } from './packed-terms.ts'
import { addPostings, postingsOf, removePostings } from './posting-store.ts'

/** A search reads the terms of all pending entries, so a partition that would have more merges the oldest at once. */
const MAX_PENDING = 8_192
const BATCH = 128

/**
 * Adds the postings of up to `most` pending entries of one partition to its lists, oldest first. They are made before the transaction, which blocks
 * the embedded database. Returns false if there is no such partition, or another transaction has locked it. Does not change what a search finds.
 */
export async function mergePending(db: Db, most: number): Promise<boolean> {
  const { rows } = await sql<{ id: number; from: number }>`
    select id, pending_from as from from retrieval_partition where pending_from is not null limit 1`.execute(db)
  const [partition] = rows
  if (!partition) return false
  const { id, from } = partition
  const oldest = await readOldest(db, id, most)
  const postings = postingsOf(oldest)
  return db.transaction().execute(async (tx) => {
    const { rows: locked } = await sql`
      select from retrieval_partition where id = ${id} for no key update skip locked`.execute(tx)
    if (locked.length === 0) return false
    // Unless another node has merged them, or some were removed since.
    const { rows: same } = await sql<{ count: number }>`
      select count(*) from retrieval_entry as entry join retrieval_partition as partition on partition.id = entry.partition_id
      where partition.id = ${id} and pending_from = ${from} and number >= ${from} and number <= ${oldest.at(-1)?.number ?? 0}
        and packed is not null`.execute(tx)
    if (Number(same[0]?.count) !== oldest.length) return true
    await addPostings(tx, id, postings)
    await setPending(tx, id, oldest, most)
    return true
  })
}

/** Merges the oldest of so many pending entries of a locked partition until few are left. */
export async function mergeBeyond(tx: Tx, partitionId: number, pending: number): Promise<void> {
  for (let beyond = pending - MAX_PENDING; beyond > 0; beyond -= BATCH) {
    const most = Math.min(beyond, BATCH)
    const oldest = await readOldest(tx, partitionId, most)
    await addPostings(tx, partitionId, postingsOf(oldest))
    await setPending(tx, partitionId, oldest, most)
  }
}

async function readOldest(db: Db, partitionId: number, most: number) {
  const { rows } = await sql<{ number: number; length: number; packed: Buffer }>`
    select entry.number, entry.length, entry.packed
    from retrieval_entry as entry join retrieval_partition as partition on partition.id = entry.partition_id
    where entry.partition_id = ${partitionId} and entry.number >= partition.pending_from and entry.packed is not null
    order by entry.number limit ${most}`.execute(db)
  return rows.map(({ number, length, packed }) => ({ number: Number(number), length, terms: countsOf(packed) }))
}

/** After the oldest of at most so many have reached the lists. */
async function setPending(
  tx: Tx,
  partitionId: number,
  oldest: readonly { readonly number: number }[],
  most: number,
): Promise<void> {
  const last = oldest.at(-1)?.number ?? 0
  const next = sql`case when ${oldest.length < most}::boolean or next_number = ${last + 1}::bigint then null else ${last + 1}::bigint end`
  await sql`update retrieval_partition set pending_from = ${next} where id = ${partitionId}`.execute(tx)
}

/** Removes the postings of up to `most` removed entries of one partition from its lists. Returns false if there is no such partition. */
export async function purgeRemoved(db: Db, most: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows: chosen } = await sql<{ id: number }>`
      select id from retrieval_partition where id = (select partition_id from retrieval_removed limit 1)
      for no key update skip locked`.execute(tx)
    const [partition] = chosen
    if (!partition) return false
    await purgeOldest(tx, partition.id, most)
    return true
  })
}

/** Removes the postings of all removed entries of locked partitions from the lists. */
export async function purgePartitions(tx: Tx, partitionIds: readonly number[]): Promise<void> {
  for (const id of partitionIds) while ((await purgeOldest(tx, id, BATCH)) > 0);
}

async function purgeOldest(tx: Tx, partitionId: number, most: number): Promise<number> {
  const { rows } = await sql<{ number: number; packed: Buffer }>`
    delete from retrieval_removed where partition_id = ${partitionId} and number in (
      select oldest.number from retrieval_removed oldest where oldest.partition_id = ${partitionId} order by oldest.number limit ${most}
    ) returning number, packed`.execute(tx)
  await removePostings(
    tx,
    partitionId,
    rows.map(({ number, packed }) => ({ number: Number(number), terms: [...countsOf(packed).keys()] })),
  )
  return rows.length
}
