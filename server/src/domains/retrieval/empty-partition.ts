import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { removeEntries } from './entries.ts'

/** Rows of lists are small. */
const ROWS_PER_ENTRY = 10

/**
 * Removes up to `most` entries of a partition that no search reads, then its lists in parts. Returns the ids of the entries, whose texts the
 * caller removes, and whether nothing is left.
 */
export async function emptyPartition(
  tx: Tx,
  id: number,
  most: number,
): Promise<{ readonly ids: readonly string[]; readonly isEmpty: boolean }> {
  const { rows } = await sql<{ id: string }>`
    select id from retrieval_entry where partition_id = ${id} order by number limit ${most}`.execute(tx)
  const ids = rows.map((entry) => entry.id)
  await removeEntries(tx, ids)
  // The lists are removed as a whole.
  await sql`delete from retrieval_removed where partition_id = ${id}`.execute(tx)
  if (ids.length > 0) return { ids, isEmpty: false }
  const { numAffectedRows } = await sql`
    delete from retrieval_list where partition_id = ${id} and ctid = any(array(
      select part.ctid from retrieval_list as part where part.partition_id = ${id} limit ${most * ROWS_PER_ENTRY}))`.execute(tx)
  return { ids, isEmpty: numAffectedRows === 0n }
}

/** Of an empty partition. */
export const deletePartition = (tx: Tx, id: number): Promise<unknown> =>
  tx.deleteFrom('retrieval_partition').where('id', '=', id).execute()
