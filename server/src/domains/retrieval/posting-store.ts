import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'

/** Entries of a block, whose postings share a row. An entry's number within its block fits into one byte. */
export const BLOCK_ENTRIES = 256
/** Bytes of a posting: number within the block, term frequency, the entry's length (low byte first). */
export const POSTING_BYTES = 4
const MAX_FREQUENCY = 0xff
export const MAX_LENGTH = 0xffff

const blockOf = (number: number): number => Math.floor(number / BLOCK_ENTRIES)

const posting = (number: number, frequency: number, length: number): readonly number[] => [
  number % BLOCK_ENTRIES,
  Math.min(frequency, MAX_FREQUENCY),
  length & 0xff,
  length >> 8,
]

function withoutNumbers(postings: Buffer, numbers: ReadonlySet<number>): Buffer {
  const kept: number[] = []
  for (let at = 0; at < postings.length; at += POSTING_BYTES) {
    if (!numbers.has(postings[at] ?? 0)) kept.push(...postings.subarray(at, at + POSTING_BYTES))
  }
  return Buffer.from(kept)
}

/** An entry with the number of occurrences of each term. */
interface CountedEntry {
  readonly number: number
  readonly terms: ReadonlyMap<string, number>
  readonly length: number
}

export async function addPostings(tx: Tx, partitionId: number, entries: readonly CountedEntry[]): Promise<void> {
  const blocks = postingsByBlock(entries)
  await sql`
    insert into retrieval_posting as there (partition_id, term, block, postings)
    select ${partitionId}, added.* from unnest(
      ${blocks.map(({ term }) => term)}::text[],
      ${blocks.map(({ block }) => block)}::integer[],
      ${blocks.map(({ bytes }) => Buffer.from(bytes))}::bytea[]
    ) as added
    on conflict (partition_id, term, block) do update set postings = there.postings || excluded.postings`.execute(tx)
}

/** A row for each term and block, in index order, so that adjacent rows are on the same page. */
function postingsByBlock(entries: readonly CountedEntry[]) {
  const blocks = new Map<number, Map<string, number[]>>()
  for (const { number, terms, length } of entries) {
    const block = blocks.get(blockOf(number)) ?? new Map<string, number[]>()
    blocks.set(blockOf(number), block)
    for (const [term, frequency] of terms) {
      const bytes = block.get(term)
      if (bytes) bytes.push(...posting(number, frequency, length))
      else block.set(term, [...posting(number, frequency, length)])
    }
  }
  return [...blocks]
    .flatMap(([block, terms]) => [...terms].map(([term, bytes]) => ({ term, block, bytes })))
    .sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : a.block - b.block))
}

/** An entry's place, and its distinct terms separated by spaces. */
interface StoredEntry {
  readonly partition_id: number
  readonly number: number
  readonly terms: string
}

/** Removes the postings of entries of locked partitions. */
export async function removePostings(tx: Tx, entries: readonly StoredEntry[]): Promise<void> {
  const rows = new Map<string, { partition: number; term: string; block: number; numbers: Set<number> }>()
  for (const { partition_id, number, terms } of entries) {
    for (const term of terms.split(' ')) {
      const block = blockOf(number)
      const key = `${partition_id} ${block} ${term}`
      const row = rows.get(key) ?? { partition: partition_id, term, block, numbers: new Set() }
      row.numbers.add(number % BLOCK_ENTRIES)
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
    postings: withoutNumbers(row.postings, rows.get(`${row.partition_id} ${row.block} ${row.term}`)?.numbers ?? new Set()),
  }))
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
