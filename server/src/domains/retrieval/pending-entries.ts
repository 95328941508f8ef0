import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../platform/db/database.ts'
import { unpackTerms } from './packed-terms.ts'
import { blockOf, makePosting, type PostingRow } from './posting.ts'

interface PendingRow {
  readonly partition: number
  readonly number: number
  readonly length: number
  readonly packed: Buffer
}

interface PendingEntry extends Pick<PendingRow, 'partition' | 'number' | 'length'> {
  /** Each term has a space before and after it. */
  readonly terms: string
  readonly frequencies: Uint8Array
}

/**
 * The unpacked terms of pending entries, because a search reads them again for each batch of hits. Keyed by the packed bytes themselves: an id or a
 * number can belong to other labels after a move, and labels decide who sees an entry.
 */
const unpacked = new LRUCache<string, Pick<PendingEntry, 'terms' | 'frequencies'>>({ max: 8_192 })

function unpack(packed: Buffer): Pick<PendingEntry, 'terms' | 'frequencies'> {
  const key = packed.toString('latin1')
  const known = unpacked.get(key)
  if (known) return known
  const { terms, frequencies } = unpackTerms(packed)
  const entry = { terms: ` ${terms} `, frequencies }
  unpacked.set(key, entry)
  return entry
}

/** The entries whose postings are not in the lists yet (merge.ts). A search reads their terms instead. */
export class PendingEntries {
  readonly #entries: readonly PendingEntry[]
  readonly #lists = new Map<string, readonly PostingRow[]>()
  /** By partition; undefined: no search has asked for them yet. */
  #terms: ReadonlyMap<number, readonly string[]> | undefined

  constructor(rows: readonly PendingRow[]) {
    this.#entries = rows.map((row) => ({
      partition: row.partition,
      number: row.number,
      length: row.length,
      ...unpack(row.packed),
    }))
  }

  /** The postings of a term, as its lists will have them. */
  postingsOf(term: string): readonly PostingRow[] {
    const known = this.#lists.get(term)
    if (known) return known
    const blocks = new Map<string, { partition: number; block: number; postings: number[] }>()
    for (const { partition, number, length, terms, frequencies } of this.#entries) {
      const at = terms.indexOf(` ${term} `)
      if (at === -1) continue
      const key = `${partition}/${blockOf(number)}`
      const row = blocks.get(key) ?? { partition, block: blockOf(number), postings: [] }
      row.postings.push(makePosting(number, frequencies[spacesBefore(terms, at)] ?? 1, length))
      blocks.set(key, row)
    }
    const list = [...blocks.values()].map((row) => ({ ...row, postings: Uint32Array.from(row.postings) }))
    this.#lists.set(term, list)
    return list
  }

  /** The terms of the pending entries of these partitions, distinct in each. */
  termsIn(partitions: readonly number[]): readonly string[] {
    this.#terms ??= new Map(
      [...Map.groupBy(this.#entries, ({ partition }) => partition)].map(([partition, entries]) => [
        partition,
        [...new Set(entries.flatMap(({ terms }) => terms.trim().split(' ')))],
      ]),
    )
    return partitions.flatMap((id) => this.#terms?.get(id) ?? [])
  }
}

function spacesBefore(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf(' '); at !== -1 && at < end; at = text.indexOf(' ', at + 1)) count++
  return count
}

/** Reads the pending entries of partitions that have some. */
export async function readPending(db: Db, partitions: readonly number[]): Promise<PendingEntries> {
  if (partitions.length === 0) return new PendingEntries([])
  const { rows } = await sql<PendingRow>`
    select partition_id as partition, number, length, packed
    from retrieval_partition as partition
    join retrieval_entry as entry on entry.partition_id = partition.id and entry.number >= partition.pending_from
    where partition.id = any(${partitions}::bigint[]) and packed is not null`.execute(db)
  return new PendingEntries(rows.map((row) => ({ ...row, partition: Number(row.partition), number: Number(row.number) })))
}
