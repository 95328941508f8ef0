import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { countsOfLabels, takeNumbers } from './entries.ts'
import { mergeBeyond } from './merge.ts'
import { countsOf, packTerms } from './packed-terms.ts'
import { lockPartitions, type Partition } from './partition.ts'

/**
 * Moves all entries of a partition, which must be few, into another of the same language, with their vectors and these labels. No text is read
 * again. A search of one snapshot finds each entry in one of the two.
 */
export async function absorbPartition(tx: Tx, from: Partition, into: Partition, labels: readonly string[]): Promise<void> {
  await lockPartitions(tx, [from.id, into.id])
  const { rows } = await sql<{ id: string; length: number; packed: Buffer }>`
    select id, length, packed from retrieval_entry where partition_id = ${from.id} order by number`.execute(tx)
  const length = rows.reduce((sum, entry) => sum + entry.length, 0)
  const more = { entries: rows.length, length, numbers: rows.length }
  const { first, pending } = await takeNumbers(tx, into.id, more)
  await sql`
    update retrieval_entry as entry set partition_id = ${into.id}, number = ${first} + moved.place - 1, packed = moved.packed
    from unnest(
      ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ packed }) => packTerms(new Map([...countsOf(packed), ...countsOfLabels(labels)])))}::bytea[]
    ) with ordinality as moved (id, packed, place)
    where entry.id = moved.id`.execute(tx)
  await moveVectors(tx, from, into)
  // The partition has no entries now, so its lists go as a whole.
  await sql`delete from retrieval_list where partition_id = ${from.id}`.execute(tx)
  await sql`delete from retrieval_removed where partition_id = ${from.id}`.execute(tx)
  await tx
    .updateTable('retrieval_partition')
    .set({ entries: 0, total_length: 0, pending_from: null })
    .where('id', '=', from.id)
    .execute()
  await mergeBeyond(tx, into.id, pending)
}

/** There is no table of vectors without the extension. */
async function moveVectors(tx: Tx, from: Partition, into: Partition): Promise<void> {
  const { rows } = await sql<{ hasVectors: boolean }>`
    select to_regclass('retrieval_vector') is not null as "hasVectors"`.execute(tx)
  if (rows[0]?.hasVectors)
    await sql`update retrieval_vector set partition_id = ${into.id} where partition_id = ${from.id}`.execute(tx)
}
