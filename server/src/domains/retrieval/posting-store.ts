import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { blockOf, fromBytes, makePosting, placeOf, toBytes } from './posting.ts'

/** An entry with the number of occurrences of each term. */
interface CountedEntry {
  readonly number: number
  readonly terms: ReadonlyMap<string, number>
  readonly length: number
}

/** Postings of one term in one block. */
interface ListPart {
  readonly term: string
  readonly block: number
  readonly postings: Buffer
}

/** The postings of entries, to be added to the lists of their terms. */
export const postingsOf = (entries: readonly CountedEntry[]): readonly ListPart[] =>
  rowsOf(entries).map(({ postings, ...row }) => ({ ...row, postings: toBytes(Uint32Array.from(postings)) }))

/** The partition must be locked. */
export async function addPostings(tx: Tx, partitionId: number, rows: readonly ListPart[]): Promise<void> {
  await sql`
    insert into retrieval_list as there (partition_id, term, block, postings)
    select ${partitionId}, added.* from unnest(
      ${rows.map(({ term }) => term)}::text[],
      ${rows.map(({ block }) => block)}::integer[],
      ${rows.map(({ postings }) => postings)}::bytea[]
    ) as added
    on conflict (partition_id, term, block) do update set postings = there.postings || excluded.postings`.execute(tx)
}

/** A row for each term and block, in index order, so that adjacent rows are on the same page. */
function rowsOf(entries: readonly CountedEntry[]) {
  const rows = new Map<string, { term: string; block: number; postings: number[] }>()
  for (const { number, terms, length } of entries) {
    const block = blockOf(number)
    for (const [term, frequency] of terms) {
      const key = `${block} ${term}`
      const posting = makePosting(number, frequency, length)
      const row = rows.get(key)
      if (row) row.postings.push(posting)
      else rows.set(key, { term, block, postings: [posting] })
    }
  }
  return [...rows.values()].sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : a.block - b.block))
}

/** An entry's number in its partition, and its distinct terms. */
interface ListedEntry {
  readonly number: number
  readonly terms: readonly string[]
}

/** Removes the postings of entries from the lists of their terms. The partition must be locked. */
export async function removePostings(tx: Tx, partitionId: number, entries: readonly ListedEntry[]): Promise<void> {
  if (entries.length === 0) return
  const rows = new Map<string, { term: string; block: number; places: Set<number> }>()
  for (const { number, terms } of entries) {
    const block = blockOf(number)
    for (const term of terms) {
      const key = `${block} ${term}`
      const row = rows.get(key) ?? { term, block, places: new Set<number>() }
      row.places.add(placeOf(number))
      rows.set(key, row)
    }
  }
  const keys = [...rows.values()]
  const { rows: there } = await sql<{ term: string; block: number; postings: Buffer }>`
    select term, block, postings from unnest(
      ${keys.map(({ term }) => term)}::text[],
      ${keys.map(({ block }) => block)}::integer[]
    ) as key (term, block) join retrieval_list using (term, block) where partition_id = ${partitionId}`.execute(tx)
  const left = there.map(({ term, block, postings }) => {
    const places = rows.get(`${block} ${term}`)?.places
    return { term, block, postings: fromBytes(postings).filter((posting) => !places?.has(placeOf(posting))) }
  })
  await sql`
    with changed as (
      select * from unnest(
        ${left.map(({ term }) => term)}::text[],
        ${left.map(({ block }) => block)}::integer[],
        ${left.map(({ postings }) => toBytes(postings))}::bytea[]
      ) as changed (term, block, postings)
    ), emptied as (
      delete from retrieval_list list using changed where list.partition_id = ${partitionId}
        and list.term = changed.term and list.block = changed.block and changed.postings = ''
    )
    update retrieval_list list set postings = changed.postings from changed where list.partition_id = ${partitionId}
      and list.term = changed.term and list.block = changed.block and changed.postings <> ''`.execute(tx)
}
