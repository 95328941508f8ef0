import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { countTerms, type Entry, storedTerms } from './entries.ts'
import { lockPartitions, type Partition } from './partition.ts'
import { addPostings, removePostings } from './posting-store.ts'
import type { PartitionKind } from './tables.ts'
import { TOKENIZER } from './words.ts'

/** Loads the texts of entries, without deleted ones. */
export type LoadEntries = (tx: Tx, ids: readonly string[]) => Promise<readonly Entry[]>

/** In plain text, so that the planner can use the partial index retrieval_entry_tokenizer. */
const isOutdated = sql<boolean>`tokenizer < ${sql.lit(TOKENIZER)}`

/**
 * Indexes up to `most` entries of one partition again that an older tokenizer has indexed.
 * Entries keep their numbers and vectors. Returns how many there were.
 */
export async function reindexOutdated(
  db: Db,
  loadEntries: Readonly<Record<PartitionKind, LoadEntries>>,
  most: number,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const partition = await findOutdatedPartition(tx)
    if (!partition) return 0
    await lockPartitions(tx, [partition.id])
    const stored = await tx
      .selectFrom('retrieval_entry')
      .select(['id', 'partition_id', 'number', 'length', 'terms'])
      .where('partition_id', '=', partition.id)
      .where(isOutdated)
      .orderBy('id')
      .limit(most)
      .execute()
    const entries = await loadEntries[partition.kind](
      tx,
      stored.map(({ id }) => id),
    )
    const byId = new Map(entries.map((entry) => [entry.id, countTerms(entry, partition.language)]))
    const changed = stored.flatMap((row) => {
      const counted = byId.get(row.id)
      return counted && (storedTerms(counted) !== row.terms || counted.length !== row.length) ? { row, counted } : []
    })
    await removePostings(
      tx,
      changed.map(({ row }) => row),
    )
    await addPostings(
      tx,
      partition.id,
      changed.map(({ row, counted }) => ({ ...counted, number: row.number })),
    )
    await storeTerms(tx, partition.id, changed)
    await sql`update retrieval_entry set tokenizer = ${TOKENIZER} where id = any(${stored.map(({ id }) => id)}::uuid[])`.execute(
      tx,
    )
    return stored.length
  })
}

async function findOutdatedPartition(tx: Tx): Promise<(Partition & { readonly kind: PartitionKind }) | undefined> {
  const { rows } = await sql<{ id: number }>`
    select partition_id as id from retrieval_entry where ${isOutdated} limit 1`.execute(tx)
  if (!rows[0]) return undefined
  const query = tx.selectFrom('retrieval_partition').select(['id', 'language', 'kind'])
  return query.where('id', '=', rows[0].id).executeTakeFirst()
}

interface Changed {
  readonly row: { readonly id: string; readonly length: number }
  readonly counted: ReturnType<typeof countTerms>
}

async function storeTerms(tx: Tx, partitionId: number, changed: readonly Changed[]): Promise<void> {
  const longer = changed.reduce((sum, { row, counted }) => sum + counted.length - row.length, 0)
  await sql`
    update retrieval_entry as entry set length = added.length, terms = added.terms
    from unnest(
      ${changed.map(({ row }) => row.id)}::uuid[],
      ${changed.map(({ counted }) => counted.length)}::integer[],
      ${changed.map(({ counted }) => storedTerms(counted))}::text[]
    ) as added (id, length, terms)
    where entry.id = added.id`.execute(tx)
  await tx
    .updateTable('retrieval_partition')
    .set(({ eb }) => ({ total_length: eb('total_length', '+', longer) }))
    .where('id', '=', partitionId)
    .execute()
}
