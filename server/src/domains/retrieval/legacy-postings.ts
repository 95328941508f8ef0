import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { makePosting } from './posting.ts'

/**
 * Former releases store postings in the table `retrieval_posting`, in blocks of 256 entries. A job moves them into `retrieval_list` (reindex.ts). During
 * a rolling upgrade a former release can still add some. The next release can drop the table and this file.
 */
export const LEGACY_BLOCK_ENTRIES = 256
/** Number of the entry within its block, term frequency, the entry's length (low byte first). */
const LEGACY_BYTES = 4
/** Entries of a tokenizer before this one have such postings, and no packed terms. */
export const FIRST_LISTED_TOKENIZER = 4

/** Postings in the present form; `block` has 256 entries. */
export function fromLegacy(block: number, bytes: Uint8Array): Uint32Array {
  const postings = new Uint32Array(bytes.length / LEGACY_BYTES)
  for (let at = 0; at < postings.length; at++) {
    const [place = 0, frequency = 0, low = 0, high = 0] = bytes.subarray(at * LEGACY_BYTES, (at + 1) * LEGACY_BYTES)
    postings[at] = makePosting(block * LEGACY_BLOCK_ENTRIES + place, frequency, low + (high << 8))
  }
  return postings
}

interface LegacyEntry {
  readonly partition_id: number
  readonly number: number
  readonly terms: string
}

/** Removes the former postings of entries. Their partitions must be locked. */
export async function removeLegacyPostings(tx: Tx, entries: readonly LegacyEntry[]): Promise<void> {
  if (entries.length === 0) return
  const rows = new Map<string, { partition: number; term: string; block: number; places: Set<number> }>()
  for (const { partition_id, number, terms } of entries) {
    const block = Math.floor(number / LEGACY_BLOCK_ENTRIES)
    for (const term of terms.split(' ')) {
      const key = `${partition_id} ${block} ${term}`
      const row = rows.get(key) ?? { partition: partition_id, term, block, places: new Set<number>() }
      row.places.add(number % LEGACY_BLOCK_ENTRIES)
      rows.set(key, row)
    }
  }
  const keys = [...rows.values()]
  const { rows: there } = await sql<{ partition_id: number; term: string; block: number; postings: Buffer }>`
    select posting.* from retrieval_posting posting join unnest(
      ${keys.map(({ partition }) => partition)}::bigint[],
      ${keys.map(({ term }) => term)}::text[],
      ${keys.map(({ block }) => block)}::integer[]
    ) as key (partition_id, term, block) using (partition_id, term, block)`.execute(tx)
  const left = there.map((row) => ({
    ...row,
    postings: withoutPlaces(row.postings, rows.get(`${row.partition_id} ${row.block} ${row.term}`)?.places ?? new Set()),
  }))
  if (left.length === 0) return
  await sql`
    with changed as (
      select * from unnest(
        ${left.map((row) => row.partition_id)}::bigint[],
        ${left.map(({ term }) => term)}::text[],
        ${left.map(({ block }) => block)}::integer[],
        ${left.map(({ postings }) => postings)}::bytea[]
      ) as changed (partition_id, term, block, postings)
    ), emptied as (
      delete from retrieval_posting posting using changed where posting.partition_id = changed.partition_id
        and posting.term = changed.term and posting.block = changed.block and changed.postings = ''
    )
    update retrieval_posting posting set postings = changed.postings from changed where posting.partition_id = changed.partition_id
      and posting.term = changed.term and posting.block = changed.block and changed.postings <> ''`.execute(tx)
}

function withoutPlaces(postings: Buffer, places: ReadonlySet<number>): Buffer {
  const kept: number[] = []
  for (let at = 0; at < postings.length; at += LEGACY_BYTES) {
    if (!places.has(postings[at] ?? 0)) kept.push(...postings.subarray(at, at + LEGACY_BYTES))
  }
  return Buffer.from(kept)
}
