import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { countsOf } from './packed-terms.ts'
import { BLOCK_ENTRIES, makePosting, toBytes } from './posting.ts'
import { addPostings } from './posting-store.ts'

/** One statement reads or writes so many, because it blocks the embedded database. */
const ENTRIES = 64
const ROWS = 1_000

/**
 * Adds the postings of all entries of a partition that no search reads yet, which `addHidden` has added. Each row of the lists is
 * written once. An interrupted run cannot be continued: the partition must be emptied.
 */
export async function listHidden(db: Db, partitionId: number): Promise<void> {
  for (let block = 0; ; block++) {
    const lists = await listsOf(db, partitionId, block)
    if (lists.size === 0) return
    const rows = [...lists].sort(([a], [b]) => (a < b ? -1 : 1))
    for (let at = 0; at < rows.length; at += ROWS) {
      const part = rows
        .slice(at, at + ROWS)
        .map(([term, postings]) => ({ term, block, postings: toBytes(Uint32Array.from(postings)) }))
      await db.transaction().execute((tx) => addPostings(tx, partitionId, part))
    }
  }
}

/** The postings of a block, by term. */
async function listsOf(db: Db, partitionId: number, block: number): Promise<ReadonlyMap<string, readonly number[]>> {
  const lists = new Map<string, number[]>()
  const end = (block + 1) * BLOCK_ENTRIES
  for (let from = block * BLOCK_ENTRIES; from < end; from += ENTRIES) {
    const { rows } = await sql<{ number: number; length: number; packed: Buffer }>`
      select number, length, packed from retrieval_entry
      where partition_id = ${partitionId} and number >= ${from} and number < ${from + ENTRIES} order by number`.execute(db)
    for (const { number, length, packed } of rows) {
      for (const [term, frequency] of countsOf(packed)) {
        const posting = makePosting(Number(number), frequency, length)
        const list = lists.get(term)
        if (list) list.push(posting)
        else lists.set(term, [posting])
      }
    }
    await setImmediate()
  }
  return lists
}
