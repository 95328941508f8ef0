import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { EntryMask, labelsOf, labelTerm } from './entry-filter.ts'
import type { Language } from './language.ts'
import type { Partition } from './partition.ts'
import { POSTING_BYTES } from './posting-store.ts'
import type { QueryWord } from './query.ts'

/** Statistics of the partitions that a viewer may see: the only statistics that a ranking uses. */
export interface Scope {
  /** The languages of the partitions with entries, by partition id. */
  readonly languages: ReadonlyMap<number, Language>
  /** The entries that the viewer may see of partitions with a filter. */
  readonly masks: ReadonlyMap<number, EntryMask>
  readonly entries: number
  /** Average number of terms. */
  readonly averageLength: number
}

/** Ignores partitions of other Workspaces. */
export async function readScope(db: Db, workspaceUuid: string, partitions: readonly Partition[]): Promise<Scope> {
  const { rows } = await sql<{ id: number; language: Language; entries: number; length: number }>`
    select id, language, entries, total_length as length from retrieval_partition
    where workspace_id = ${workspaceUuid} and id = any(${partitions.map(({ id }) => id)}::bigint[]) and entries > 0
    order by id`.execute(db)
  const masks = await readMasks(
    db,
    rows.map(({ id }) => id),
    partitions,
  )
  const visible = rows
    .map((row) => {
      const mask = masks.get(row.id)
      return mask ? { ...row, entries: mask.entries, length: mask.totalLength } : row
    })
    .filter(({ entries }) => entries > 0)
  const entries = visible.reduce((sum, row) => sum + row.entries, 0)
  const length = visible.reduce((sum, row) => sum + row.length, 0)
  const languages = new Map(visible.map(({ id, language }) => [id, language]))
  return { languages, masks, entries, averageLength: length / entries || 1 }
}

/** `filled`: ids of partitions of the Workspace. */
async function readMasks(
  db: Db,
  filled: readonly number[],
  partitions: readonly Partition[],
): Promise<ReadonlyMap<number, EntryMask>> {
  const filters = partitions.flatMap(({ id, filter }) => (filter && filled.includes(id) ? { id, filter } : []))
  if (filters.length === 0) return new Map()
  const labels = filters.flatMap(({ filter }) => labelsOf(filter))
  const terms = [...new Set(labels)].map(labelTerm)
  const text = `${PACKED} where partition_id = any($1::bigint[]) and term = any($2::text[]) group by term`
  const query = CompiledQuery.raw(text, [filters.map(({ id }) => id), terms])
  const { rows } = await db.executeQuery<{ term: string; packed: string }>(query)
  const byTerm = new Map(rows.map(({ term, packed }) => [term, Map.groupBy(unpack(packed), ({ partition }) => partition)]))
  return new Map(
    filters.map(({ id, filter }) => [id, new EntryMask(filter, (label) => byTerm.get(labelTerm(label))?.get(id) ?? [])]),
  )
}

/** The postings of a term in one block. */
export interface PostingRow {
  readonly partition: number
  readonly block: number
  readonly postings: Buffer
}

export type BlockPlace = Pick<PostingRow, 'partition' | 'block'>

/** Reads the postings of query words within a scope only. */
export class PostingSource {
  readonly #db: Db
  readonly #scope: Scope
  /** Ids of the partitions that the viewer sees completely. */
  readonly #whole: readonly number[]
  readonly #eager: number
  readonly #cache = new Map<QueryWord, readonly PostingRow[]>()

  /** `eager`: up to this many postings, `count` also reads them. */
  constructor(db: Db, scope: Scope, eager: number) {
    this.#db = db
    this.#scope = scope
    this.#eager = eager
    this.#whole = [...scope.languages.keys()].filter((id) => !scope.masks.has(id))
  }

  /** The number of entries that contain each word. Also reads the postings if they cannot be many. */
  async count(words: readonly QueryWord[]): Promise<number[]> {
    if (words.length * this.#scope.entries > this.#eager) return this.#countOnly(words)
    return countPostings(await this.postings(words))
  }

  async postings(words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const unread = words.filter((word) => !this.#cache.has(word))
    if (unread.length > 0) {
      const [whole, masked] = [await this.#inWhole(unread), await this.#inMasked(unread)]
      for (const [index, word] of unread.entries()) this.#cache.set(word, [...(whole[index] ?? []), ...(masked[index] ?? [])])
    }
    return words.map((word) => this.#cache.get(word) ?? [])
  }

  postingsIn(places: readonly BlockPlace[], words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const text = `${PACKED}
      join unnest($2::bigint[], $3::integer[]) as place (partition_id, block) using (partition_id, block)
      where partition_id = any($4::bigint[]) and term = any($1::text[]) group by term`
    const partitions = places.map(({ partition }) => partition)
    return this.#select(words, text, [partitions, places.map(({ block }) => block), [...new Set(partitions)]])
  }

  async #inWhole(words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    if (this.#whole.length === 0) return []
    const text = `${PACKED} where partition_id = any($2::bigint[]) and term = any($1::text[]) group by term`
    return this.#select(words, text, [this.#whole])
  }

  /** Reads only blocks with visible entries, so that other entries cost nothing. */
  async #inMasked(words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const places = [...this.#scope.masks].flatMap(([partition, { blocks }]) => blocks.map((block) => ({ partition, block })))
    return places.length === 0 ? [] : this.postingsIn(places, words)
  }

  async #select(words: readonly QueryWord[], text: string, more: readonly unknown[]): Promise<PostingRow[][]> {
    const query = CompiledQuery.raw(text, [termsOf(words), ...more])
    const { rows } = await this.#db.executeQuery<{ term: string; packed: string }>(query)
    const byTerm = wordsByTerm(words)
    const rowsByWord: PostingRow[][] = words.map(() => [])
    for (const { term, packed } of rows) {
      for (const row of unpack(packed)) {
        const mask = this.#scope.masks.get(row.partition)
        const visible = mask ? { ...row, postings: mask.chosenOf(row) } : row
        if (visible.postings.length === 0) continue
        for (const { index } of byTerm(this.#scope.languages.get(row.partition), term)) rowsByWord[index]?.push(visible)
      }
    }
    return rowsByWord
  }

  async #countOnly(words: readonly QueryWord[]): Promise<number[]> {
    const { rows } = await sql<{ language: Language; term: string; bytes: number }>`
      select language, term, sum(octet_length(postings)) as bytes from retrieval_posting
      join retrieval_partition on id = partition_id
      where partition_id = any(${this.#whole}::bigint[]) and term = any(${termsOf(words)}::text[])
      group by language, term`.execute(this.#db)
    const byTerm = wordsByTerm(words)
    const masked = countPostings(await this.#inMasked(words))
    const counts = words.map((_, index) => masked[index] ?? 0)
    for (const { language, term, bytes } of rows) {
      for (const { index } of byTerm(language, term)) counts[index] = (counts[index] ?? 0) + Number(bytes) / POSTING_BYTES
    }
    return counts
  }
}

/** Of these terms those that visible entries of partitions with a filter contain. */
export async function visibleTerms(db: Db, { masks }: Scope, terms: readonly string[]): Promise<readonly string[]> {
  if (terms.length === 0) return []
  const text = `${PACKED} where partition_id = any($1::bigint[]) and term = any($2::text[]) group by term`
  const query = CompiledQuery.raw(text, [[...masks.keys()], terms])
  const { rows } = await db.executeQuery<{ term: string; packed: string }>(query)
  const isVisible = (row: PostingRow): boolean => (masks.get(row.partition)?.chosenOf(row).length ?? 0) > 0
  return rows.filter(({ packed }) => unpack(packed).some(isVisible)).map(({ term }) => term)
}

const countPostings = (rowsByWord: readonly (readonly PostingRow[])[]): number[] =>
  rowsByWord.map((rows) => rows.reduce((sum, { postings }) => sum + postings.length / POSTING_BYTES, 0))

/**
 * Packs all rows of a term into one base64 text, because the driver spends several times more on thousands of small rows than the
 * database. The order of rows does not matter: each posting adds to another entry.
 */
const PACKED_POSTINGS = `encode(string_agg(
  int8send(partition_id) || int4send(block) || int4send(octet_length(postings)) || postings, ''::bytea), 'base64')`
const PACKED = `select term, ${PACKED_POSTINGS} as packed from retrieval_posting`
const HEAD_BYTES = 16

function* unpack(packed: string): Generator<PostingRow> {
  const bytes = Buffer.from(packed, 'base64')
  for (let at = 0; at < bytes.length; ) {
    const start = at + HEAD_BYTES
    const end = start + bytes.readInt32BE(at + 12)
    yield { partition: Number(bytes.readBigInt64BE(at)), block: bytes.readInt32BE(at + 8), postings: bytes.subarray(start, end) }
    at = end
  }
}

const termsOf = (words: readonly QueryWord[]): string[] => [...new Set(words.flatMap(({ terms }) => [...terms.values()]))]

type Keyed = { readonly key: string; readonly index: number }

/** Finds the query words of a term in a language: several if their stems are equal. */
function wordsByTerm(words: readonly QueryWord[]): (language: Language | undefined, term: string) => readonly Keyed[] {
  const keyed = words.flatMap(({ terms }, index) => [...terms].map(([language, term]) => ({ key: `${language} ${term}`, index })))
  const byKey = Map.groupBy(keyed, ({ key }) => key)
  return (language, term) => byKey.get(`${language} ${term}`) ?? []
}
