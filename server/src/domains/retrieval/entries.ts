import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { LABELLED, labelTerm } from './entry-filter.ts'
import { type Language, partsOfCompound, termOf } from './language.ts'
import { lockPartitions, type Partition } from './partition.ts'
import { addPostings, MAX_LENGTH, removePostings } from './posting-store.ts'
import { TOKENIZER, visitWords } from './words.ts'
import { compoundLanguageOf } from './written-language.ts'

/** A searchable text: a chunk of a document or a memory. */
export interface Entry {
  readonly id: string
  /** Title and heading path; may be empty. */
  readonly title: string
  readonly text: string
  /** A search can be limited to entries with these labels (entry-filter.ts). They are no words: no query finds them, and they add no length. */
  readonly labels?: readonly string[]
  /** The language of the partition may not be that of the text: compounds are split in the language that the text seems to have. */
  readonly inAnyLanguage?: boolean
}

/** A word of the title counts this many times. */
const TITLE_WEIGHT = 2

export interface TermCounts {
  readonly id: string
  readonly terms: ReadonlyMap<string, number>
  /** Number of terms without stop words. */
  readonly length: number
}

export const storedTerms = ({ terms }: TermCounts): string => [...terms.keys()].join(' ')

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
    insert into retrieval_entry (id, partition_id, number, length, terms, tokenizer)
    select added.id, ${partition.id}, ${first} + added.place - 1, added.length, added.terms, ${TOKENIZER}
    from unnest(
      ${counted.map(({ id }) => id)}::uuid[],
      ${counted.map(({ length }) => length)}::integer[],
      ${counted.map(storedTerms)}::text[]
    ) with ordinality as added (id, length, terms, place)`.execute(tx)

  await addPostings(
    tx,
    partition.id,
    counted.map((entry, place) => ({ ...entry, number: first + place })),
  )
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
    .where(sql<boolean>`partition_id = any(${partitions}::bigint[])`)
    .returning(['partition_id', 'number', 'length', 'terms'])
    .execute()
  await removePostings(tx, removed)
  for (const [partition, own] of Map.groupBy(removed, ({ partition_id }) => partition_id)) {
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

export function countTerms({ id, title, text, labels = [], inAnyLanguage }: Entry, language: Language): TermCounts {
  const compounds = inAnyLanguage ? compoundLanguageOf(`${title}\n${text}`) : undefined
  const terms = new Map<string, number>()
  let length = 0
  const count = (counted: string, weight: number): void =>
    visitWords(counted, (word, _, kind) => {
      const term = termOf(word, language)
      const parts = compounds ? partsOfCompound(word, compounds, language) : term.parts
      for (const text of new Set([term.text, ...parts])) terms.set(text, (terms.get(text) ?? 0) + weight)
      // Ids in a text would lower the score of its words.
      if (!term.stop && kind !== 'fragment') length += weight
    })
  count(title, TITLE_WEIGHT)
  count(text, 1)
  if (labels.length > 0) for (const label of [LABELLED, ...labels]) terms.set(labelTerm(label), 1)
  return { id, terms, length: Math.min(length, MAX_LENGTH) }
}
