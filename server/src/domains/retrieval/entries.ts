import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { LABELLED, labelTerm } from './entry-filter.ts'
import { type Language, partsOfCompound, termOf } from './language.ts'
import { FIRST_LISTED_TOKENIZER, removeLegacyPostings } from './legacy-postings.ts'
import { mergeBeyond, purgePartitions } from './merge.ts'
import { countsOf, packTerms } from './packed-terms.ts'
import type { Partition } from './partition.ts'
import { MAX_LENGTH } from './posting.ts'
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
  /** Its terms, if they were counted before. They are counted again if the partition has another language. */
  readonly counted?: CountedText | undefined
}

/** The terms of a title and a text in a language. A document has many, so they are counted before the transaction that adds them. */
export interface CountedText {
  readonly language: Language
  readonly packed: Buffer
  readonly length: number
}

export function countText({ title, text, inAnyLanguage }: Omit<Entry, 'id'>, language: Language): CountedText {
  const { terms, length } = countTerms({ id: '', title, text, ...(inAnyLanguage && { inAnyLanguage }) }, language)
  return { language, packed: packTerms(terms), length }
}

/** A word of the title counts this many times. */
const TITLE_WEIGHT = 2

export interface TermCounts {
  readonly id: string
  readonly terms: ReadonlyMap<string, number>
  /** Number of terms without stop words. */
  readonly length: number
}

/**
 * Adds entries to the index. Searches find them at once; their postings reach the lists later (merge.ts), because that takes several times
 * longer. Locks the partition until the transaction ends, so call it late in the transaction.
 */
export async function addEntries(tx: Tx, partition: Partition, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return
  const counted = entries.map((entry) => withLabels(entry, partition.language))
  const more = { entries: counted.length, length: totalLength(counted), numbers: counted.length }
  const { first, pending } = await takeNumbers(tx, partition.id, more)
  await insertEntries(tx, partition.id, first, counted)
  await mergeBeyond(tx, partition.id, pending)
}

/** Adds entries to a partition that no search reads yet. `listHidden` must add their postings to the lists before one does. */
export async function addHidden(tx: Tx, partition: Partition, entries: readonly Entry[]): Promise<void> {
  const counted = entries.map((entry) => withLabels(entry, partition.language))
  const more = { entries: counted.length, length: totalLength(counted), numbers: counted.length }
  const { first } = await takeNumbers(tx, partition.id, more)
  await insertEntries(tx, partition.id, first, counted)
  await tx.updateTable('retrieval_partition').set({ pending_from: null }).where('id', '=', partition.id).execute()
}

async function insertEntries(
  tx: Tx,
  partitionId: number,
  first: number,
  counted: readonly ReturnType<typeof withLabels>[],
): Promise<void> {
  await sql`
    insert into retrieval_entry (id, partition_id, number, length, terms, packed, tokenizer)
    select added.id, ${partitionId}, ${first} + added.place - 1, added.length, '', added.packed, ${TOKENIZER}
    from unnest(
      ${counted.map(({ id }) => id)}::uuid[],
      ${counted.map(({ length }) => length)}::integer[],
      ${counted.map(({ packed }) => packed)}::bytea[]
    ) with ordinality as added (id, length, packed, place)`.execute(tx)
}

/** The columns of an entry in the index. */
function withLabels(entry: Entry, language: Language) {
  const { id, labels = [], counted } = entry
  const { packed, length } = counted?.language === language ? counted : countText(entry, language)
  return {
    id,
    length,
    packed: labels.length === 0 ? packed : packTerms(new Map([...countsOf(packed), ...countsOfLabels(labels)])),
  }
}

interface Growth {
  readonly entries: number
  readonly length: number
  readonly numbers: number
}

/** Locks the partition, changes its statistics, and takes numbers for pending entries: the first one, and how many are pending then. */
export async function takeNumbers(
  tx: Tx,
  partitionId: number,
  { entries, length, numbers }: Growth,
): Promise<{ readonly first: number; readonly pending: number }> {
  const { next, pending } = await tx
    .updateTable('retrieval_partition')
    .set(({ eb, fn, ref }) => ({
      entries: eb('entries', '+', entries),
      total_length: eb('total_length', '+', length),
      next_number: eb('next_number', '+', numbers),
      pending_from: fn.coalesce('pending_from', ref('next_number')),
    }))
    .where('id', '=', partitionId)
    .returning(({ eb, ref }) => ['next_number as next', eb('next_number', '-', ref('pending_from')).as('pending')])
    .executeTakeFirstOrThrow()
  return { first: next - numbers, pending: Number(pending) }
}

/**
 * Removes any number of entries with their statistics and vectors. Searches no longer find them; a trigger records those whose postings are in
 * the lists, from which a job removes them (merge.ts). Ignores unknown ids. Returns the partitions.
 */
export async function removeEntries(tx: Tx, ids: readonly string[]): Promise<readonly number[]> {
  if (ids.length === 0) return []
  // One array parameter, because a statement accepts 65,535 parameters.
  const chosen = sql<boolean>`id = any(${[...ids]}::uuid[])`
  const partitions = await lockPartitionsOf(tx, ids)
  if (partitions.length === 0) return []
  const removed = await tx
    .deleteFrom('retrieval_entry')
    .where(chosen)
    .where(sql<boolean>`partition_id = any(${partitions}::bigint[])`)
    .returning(['partition_id', 'number', 'length', 'terms', 'tokenizer'])
    .execute()
  await removeLegacyPostings(
    tx,
    removed.filter(({ tokenizer }) => tokenizer < FIRST_LISTED_TOKENIZER),
  )
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
  return partitions
}

/** Removes entries as {@link removeEntries} does, with their postings: after an erasure, no word of a text is left. */
export async function eraseEntries(tx: Tx, ids: readonly string[]): Promise<void> {
  await purgePartitions(tx, await removeEntries(tx, ids))
}

/** Locks the partitions of these entries, ordered by id. */
async function lockPartitionsOf(tx: Tx, ids: readonly string[]): Promise<readonly number[]> {
  const rows = await tx
    .selectFrom('retrieval_entry as entry')
    .innerJoin('retrieval_partition as partition', 'partition.id', 'entry.partition_id')
    .select('partition.id')
    .where(sql<boolean>`entry.id = any(${[...ids]}::uuid[])`)
    .orderBy('partition.id')
    .forNoKeyUpdate('partition')
    .execute()
  return [...new Set(rows.map(({ id }) => id))]
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
  for (const [term, count] of countsOfLabels(labels)) terms.set(term, count)
  return { id, terms, length: Math.min(length, MAX_LENGTH) }
}

/** The terms of labels. */
export const countsOfLabels = (labels: readonly string[]): (readonly [term: string, count: number])[] =>
  labels.length === 0 ? [] : [LABELLED, ...labels].map((label) => [labelTerm(label), 1])
