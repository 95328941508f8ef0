import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { type Language, termOf } from './language.ts'
import { lockPartitions, type Partition } from './partition.ts'
import { BLOCK_ENTRIES, blockOf, MAX_LENGTH, posting, withoutNumbers } from './postings.ts'
import { splitWords } from './words.ts'

/** A searchable text: a chunk of a document or a memory. */
export interface Entry {
  /** A UUID. */
  readonly id: string
  /** Title and heading path; may be empty. */
  readonly title: string
  readonly text: string
}

/** A word of the title counts this many times. */
const TITLE_WEIGHT = 2

interface TermCounts {
  readonly id: string
  readonly terms: ReadonlyMap<string, number>
  /** Number of terms without stop words. */
  readonly length: number
}

/** Adds entries to the index. Locks the partition until the transaction ends, so call it late in the transaction. */
export async function addEntries(tx: Tx, partition: Partition, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return
  const counted = entries.map((entry) => countTerms(entry, partition.language))
  const { next } = await tx
    .updateTable('retrieval_partition')
    .set(({ eb }) => ({
      entries: eb('entries', '+', counted.length),
      total_length: eb('total_length', '+', totalLength(counted)),
      next_number: eb('next_number', '+', counted.length),
    }))
    .where('id', '=', partition.id)
    .returning('next_number as next')
    .executeTakeFirstOrThrow()
  const first = next - counted.length

  await sql`
    insert into retrieval_entry (id, partition_id, number, length, terms)
    select added.id, ${partition.id}, ${first} + added.place - 1, added.length, added.terms
    from unnest(
      ${counted.map(({ id }) => id)}::uuid[],
      ${counted.map(({ length }) => length)}::integer[],
      ${counted.map(({ terms }) => [...terms.keys()].join(' '))}::text[]
    ) with ordinality as added (id, length, terms, place)`.execute(tx)

  const blocks = postingsByBlock(counted, first)
  await sql`
    insert into retrieval_posting as there (partition_id, term, block, postings)
    select ${partition.id}, added.* from unnest(
      ${blocks.map(({ term }) => term)}::text[],
      ${blocks.map(({ block }) => block)}::integer[],
      ${blocks.map(({ bytes }) => Buffer.from(bytes))}::bytea[]
    ) as added
    on conflict (partition_id, term, block) do update set postings = there.postings || excluded.postings`.execute(tx)
}

/** Removes any number of entries with their postings, statistics and vectors. Ignores unknown ids. */
export async function removeEntries(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  // One array parameter, because a statement accepts 65,535 parameters.
  const chosen = sql<boolean>`id = any(${[...ids]}::uuid[])`
  const found = await tx.selectFrom('retrieval_entry').select('partition_id').distinct().where(chosen).execute()
  if (found.length === 0) return
  const partitions = found.map(({ partition_id }) => partition_id)
  await lockPartitions(tx, partitions)
  const removed = await tx
    .deleteFrom('retrieval_entry')
    .where(chosen)
    .where('partition_id', 'in', partitions)
    .returning(['partition_id', 'number', 'length', 'terms'])
    .execute()
  const rows = new Map<string, { partition: number; term: string; block: number; numbers: Set<number> }>()
  for (const { partition_id, number, terms } of removed) {
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
  for (const partition of partitions) {
    const own = removed.filter(({ partition_id }) => partition_id === partition)
    await tx
      .updateTable('retrieval_partition')
      .set(({ eb }) => ({
        entries: eb('entries', '-', own.length),
        total_length: eb('total_length', '-', totalLength(own)),
      }))
      .where('id', '=', partition)
      .execute()
  }
}

const totalLength = (entries: readonly { readonly length: number }[]): number =>
  entries.reduce((sum, { length }) => sum + length, 0)

function countTerms({ id, title, text }: Entry, language: Language): TermCounts {
  const terms = new Map<string, number>()
  let length = 0
  const count = (words: readonly string[], weight: number): void => {
    for (const word of words) {
      const term = termOf(word, language)
      terms.set(term.text, (terms.get(term.text) ?? 0) + weight)
      if (!term.stop) length += weight
    }
  }
  count(splitWords(title), TITLE_WEIGHT)
  count(splitWords(text), 1)
  return { id, terms, length: Math.min(length, MAX_LENGTH) }
}

/** A row for each term and block, in index order, so that adjacent rows are on the same page. */
function postingsByBlock(counted: readonly TermCounts[], first: number) {
  const blocks = new Map<number, Map<string, number[]>>()
  counted.forEach(({ terms, length }, place) => {
    const number = first + place
    const block = blocks.get(blockOf(number)) ?? new Map<string, number[]>()
    blocks.set(blockOf(number), block)
    for (const [term, frequency] of terms) {
      const bytes = block.get(term)
      if (bytes) bytes.push(...posting(number, frequency, length))
      else block.set(term, [...posting(number, frequency, length)])
    }
  })
  return [...blocks]
    .flatMap(([block, terms]) => [...terms].map(([term, bytes]) => ({ term, block, bytes })))
    .sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : a.block - b.block))
}
