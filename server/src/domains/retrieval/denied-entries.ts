import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { DeniedEntry } from './entry-filter.ts'
import type { Partition } from './partition.ts'

/** `ids`: a query for the ids of the entries. */
export async function deniedEntries(db: Db, ids: RawBuilder<unknown>): Promise<readonly DeniedEntry[]> {
  const { rows } = await sql<DeniedEntry>`
    select partition_id as partition, number, length from retrieval_entry where id in (${ids})`.execute(db)
  return rows
}

/** The partitions as they would be without these entries. */
export function withoutEntries<P extends Partition>(partitions: readonly P[], denied: readonly DeniedEntry[]): readonly P[] {
  const byPartition = Map.groupBy(denied, ({ partition }) => partition)
  return partitions.map((partition) => {
    const own = byPartition.get(partition.id)
    if (!own) return partition
    const all = [...(partition.denied ?? []), ...own]
    return { ...partition, denied: [...new Map(all.map((entry) => [entry.number, entry])).values()] }
  })
}
