import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { AllBut, EntryMask, labelsOf, labelTerm, type Mask } from './entry-filter.ts'
import type { Language } from './language.ts'
import { FIRST_LISTED_TOKENIZER } from './legacy-postings.ts'
import type { Partition } from './partition.ts'
import { type PendingEntries, readPending } from './pending-entries.ts'
import { BLOCK_ENTRIES } from './posting.ts'
import { readLists } from './posting-lists.ts'

/** Statistics of the partitions that a viewer may see: the only statistics that a ranking uses. */
export interface Scope {
  /** The languages of the partitions with entries, by partition id. */
  readonly languages: ReadonlyMap<number, Language>
  /** The entries that the viewer may see of partitions with a filter, or with entries that are left out. */
  readonly masks: ReadonlyMap<number, Mask>
  readonly entries: number
  /** Average number of terms. */
  readonly averageLength: number
  readonly pending: PendingEntries
  /** Partitions with postings of former releases. */
  readonly legacy: ReadonlySet<number>
}

/** A partition's row. */
interface Row {
  readonly id: number
  readonly language: Language
  readonly entries: number
  readonly length: number
  readonly blocks: number
  readonly pending: boolean
  readonly removed: boolean
  readonly legacy: boolean
}

/** Ignores partitions of other Workspaces. */
export async function readScope(db: Db, workspaceUuid: string, partitions: readonly Partition[]): Promise<Scope> {
  const { rows } = await sql<Row>`
    select id, language, entries, total_length as length, (next_number - 1) / ${BLOCK_ENTRIES}::int + 1 as blocks,
      pending_from is not null as pending,
      exists (select from retrieval_removed as removed where removed.partition_id = partition.id) as removed,
      exists (select from retrieval_entry as entry
        where entry.partition_id = partition.id and entry.tokenizer < ${sql.lit(FIRST_LISTED_TOKENIZER)}) as legacy
    from retrieval_partition as partition
    where partition.workspace_id = ${workspaceUuid} and partition.id = any(${partitions.map(({ id }) => id)}::bigint[])
      and entries > 0
    order by id`.execute(db)
  const idsWith = (flag: 'pending' | 'removed' | 'legacy') => rows.filter((row) => row[flag]).map(({ id }) => id)
  const index: Index = {
    rows: new Map(rows.map((row) => [row.id, row])),
    pending: await readPending(db, idsWith('pending')),
    removed: await readRemoved(db, idsWith('removed')),
    legacy: new Set(idsWith('legacy')),
  }
  const masks = new Map<number, Mask>([...maskWhole(index, partitions), ...(await maskFiltered(db, index, partitions))])
  const visible = rows
    .map((row) => {
      const mask = masks.get(row.id)
      return mask ? { ...row, entries: mask.entries, length: mask.totalLength } : row
    })
    .filter(({ entries }) => entries > 0)
  const entries = visible.reduce((sum, row) => sum + row.entries, 0)
  const length = visible.reduce((sum, row) => sum + row.length, 0)
  const languages = new Map(visible.map(({ id, language }) => [id, language]))
  const { pending, legacy } = index
  return { languages, masks, entries, averageLength: length / entries || 1, pending, legacy }
}

interface Index {
  readonly rows: ReadonlyMap<number, Row>
  readonly pending: PendingEntries
  /** The numbers of removed entries whose postings are still in the lists. */
  readonly removed: ReadonlyMap<number, readonly number[]>
  readonly legacy: ReadonlySet<number>
}

async function readRemoved(db: Db, partitions: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
  if (partitions.length === 0) return new Map()
  const { rows } = await sql<{ partition: number; numbers: readonly number[] }>`
    select partition_id as partition, array_agg(number::integer) as numbers from retrieval_removed
    where partition_id = any(${partitions}::bigint[]) group by partition_id`.execute(db)
  return new Map(rows.map(({ partition, numbers }) => [Number(partition), numbers]))
}

/** Masks of partitions without a filter of which some entries are left out. */
function maskWhole({ rows, removed }: Index, partitions: readonly Partition[]): (readonly [number, Mask])[] {
  return partitions.flatMap(({ id, filter, denied = [] }) => {
    const row = rows.get(id)
    const gone = removed.get(id) ?? []
    return row && !filter && denied.length + gone.length > 0 ? [[id, new AllBut(row, denied, gone)] as const] : []
  })
}

async function maskFiltered(db: Db, index: Index, partitions: readonly Partition[]): Promise<(readonly [number, Mask])[]> {
  const filtered = partitions.flatMap(({ id, filter, denied = [] }) => {
    const row = index.rows.get(id)
    return filter && row ? [{ id, filter, denied, row }] : []
  })
  const terms = [...new Set(filtered.flatMap(({ filter }) => labelsOf(filter)))].map(labelTerm)
  const ids = filtered.map(({ id }) => id)
  const lists = await readLists(db, terms, ids, index.legacy)
  const byTerm = new Map(
    terms.map((term) => [
      term,
      Map.groupBy([...(lists.get(term) ?? []), ...index.pending.postingsOf(term)], ({ partition }) => partition),
    ]),
  )
  return filtered.map(({ id, filter, denied, row }) => {
    const blocksOf = (label: string) => byTerm.get(labelTerm(label))?.get(id) ?? []
    const hidden = [...denied.map(({ number }) => number), ...(index.removed.get(id) ?? [])]
    return [id, new EntryMask(filter, blocksOf, Number(row.blocks), hidden)] as const
  })
}
