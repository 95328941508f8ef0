import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { countTerms, type Entry, takeNumbers } from './entries.ts'
import { FIRST_LISTED_TOKENIZER, removeLegacyPostings } from './legacy-postings.ts'
import { packTerms, termsOf } from './packed-terms.ts'
import { lockPartitions, type Partition } from './partition.ts'
import type { PartitionKind } from './tables.ts'
import { TOKENIZER } from './words.ts'

/** Loads the texts of entries, without deleted ones. */
export type LoadEntries = (tx: Tx, ids: readonly string[]) => Promise<readonly Entry[]>

/** In plain text, so that the planner can use the partial index retrieval_entry_tokenizer. */
const isOutdated = sql<boolean>`tokenizer < ${sql.lit(TOKENIZER)}`

/**
 * Indexes up to `most` entries of one partition again that an older tokenizer has indexed. They get new numbers, as if they were removed and
 * added, and keep their vectors. Returns how many there were.
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
      .select(['id', 'partition_id', 'number', 'length', 'terms', 'packed', 'tokenizer'])
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
    await leaveLists(tx, partition.id, stored)
    await renumber(
      tx,
      partition.id,
      stored.map((entry) => ({ ...entry, counted: byId.get(entry.id) ?? asBefore(entry) })),
    )
    return stored.length
  })
}

/** An entry whose text is gone and that its owner will remove. */
const asBefore = (entry: StoredEntry) => ({
  ...{ id: entry.id, length: entry.length },
  terms: new Map(termsOf(entry).map((term) => [term, 1])),
})

async function findOutdatedPartition(tx: Tx): Promise<(Partition & { readonly kind: PartitionKind }) | undefined> {
  const { rows } = await sql<{ id: number }>`
    select partition_id as id from retrieval_entry where ${isOutdated} limit 1`.execute(tx)
  if (!rows[0]) return undefined
  const query = tx.selectFrom('retrieval_partition').select(['id', 'language', 'kind'])
  return query.where('id', '=', rows[0].id).executeTakeFirst()
}

interface StoredEntry {
  readonly id: string
  readonly partition_id: number
  readonly number: number
  readonly length: number
  readonly terms: string
  readonly packed: Buffer | null
  readonly tokenizer: number
}

/** The places of these entries are used no longer. */
async function leaveLists(tx: Tx, partitionId: number, stored: readonly StoredEntry[]): Promise<void> {
  const isLegacy = ({ tokenizer }: StoredEntry): boolean => tokenizer < FIRST_LISTED_TOKENIZER
  await removeLegacyPostings(tx, stored.filter(isLegacy))
  const numbers = stored.filter((entry) => !isLegacy(entry)).map(({ number }) => number)
  if (numbers.length === 0) return
  await sql`
    insert into retrieval_removed (partition_id, number, packed)
    select entry.partition_id, number, packed
    from retrieval_entry as entry join retrieval_partition as partition on partition.id = entry.partition_id
    where entry.partition_id = ${partitionId} and number = any(${numbers}::bigint[])
      and (pending_from is null or number < pending_from)`.execute(tx)
}

interface Renumbered {
  readonly id: string
  /** Before. */
  readonly length: number
  readonly counted: ReturnType<typeof countTerms>
}

async function renumber(tx: Tx, partitionId: number, entries: readonly Renumbered[]): Promise<void> {
  const longer = entries.reduce((sum, { length, counted }) => sum + counted.length - length, 0)
  const { first } = await takeNumbers(tx, partitionId, { entries: 0, length: longer, numbers: entries.length })
  await sql`
    update retrieval_entry as entry set number = ${first} + added.place - 1, length = added.length, terms = '',
      packed = added.packed, tokenizer = ${TOKENIZER}
    from unnest(
      ${entries.map(({ id }) => id)}::uuid[],
      ${entries.map(({ counted }) => counted.length)}::integer[],
      ${entries.map(({ counted }) => packTerms(counted.terms))}::bytea[]
    ) with ordinality as added (id, length, packed, place)
    where entry.id = added.id`.execute(tx)
}
