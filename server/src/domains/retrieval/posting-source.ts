import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { AllBut, EntryMask, labelsOf, labelTerm, type Mask } from './entry-filter.ts'
import type { Language } from './language.ts'
import type { Partition } from './partition.ts'
import { BLOCK_ENTRIES, POSTING_BYTES } from './posting-store.ts'
import type { QueryWord } from './query.ts'

/** Statistics of the partitions that a viewer may see: the only statistics that a ranking uses. */
export interface Scope {
  /** The languages of the partitions with entries, by partition id. */
  readonly languages: ReadonlyMap<number, Language>
  /** The entries that the viewer may see of partitions with a filter. */
  readonly masks: ReadonlyMap<number, Mask>
  readonly entries: number
  /** Average number of terms. */
  readonly averageLength: number
}

/** Ignores partitions of other Workspaces. */
export async function readScope(db: Db, workspaceUuid: string, partitions: readonly Partition[]): Promise<Scope> {
  const { rows } = await sql<{ id: number; language: Language; entries: number; length: number; blocks: number }>`
    select id, language, entries, total_length as length, (next_number - 1) / ${BLOCK_ENTRIES}::int + 1 as blocks
    from retrieval_partition
    where workspace_id = ${workspaceUuid} and id = any(${partitions.map(({ id }) => id)}::bigint[]) and entries > 0
    order by id`.execute(db)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const whole = partitions.flatMap(({ id, filter, denied }) => {
    const row = byId.get(id)
    return row && denied && !filter ? [[id, new AllBut(denied, row)] as const] : []
  })
  const chosen = await readMasks(db, new Map(rows.map(({ id, blocks }) => [id, Number(blocks)])), partitions)
  const masks = new Map<number, Mask>([...whole, ...chosen])
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

/** `blocks`: the number of blocks of each partition of the Workspace that has entries. */
async function readMasks(
  db: Db,
  blocks: ReadonlyMap<number, number>,
  partitions: readonly Partition[],
): Promise<ReadonlyMap<number, EntryMask>> {
  const filters = partitions.flatMap(({ id, filter, denied }) => (filter && blocks.has(id) ? { id, filter, denied } : []))
  if (filters.length === 0) return new Map()
  const labels = filters.flatMap(({ filter }) => labelsOf(filter))
  const terms = [...new Set(labels)].map(labelTerm)
  const { rows } = await db.executeQuery<PackedRow>(CompiledQuery.raw(WHOLE, [terms, filters.map(({ id }) => id)]))
  const byTerm = new Map(rows.map(({ term, packed }) => [term, Map.groupBy(unpack(packed), ({ partition }) => partition)]))
  return new Map(
    filters.map(({ id, filter, denied }) => {
      const blocksOf = (label: string) => byTerm.get(labelTerm(label))?.get(id) ?? []
      return [id, new EntryMask(filter, blocksOf, blocks.get(id) ?? 0, denied)]
    }),
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
  readonly #unmasked: readonly number[]
  /** Ids of the partitions with a visible entry in most blocks, which are read faster as a whole. */
  readonly #dense: readonly number[]
  /** Of all others the blocks with visible entries, so that other entries cost nothing. */
  readonly #places: readonly BlockPlace[]
  readonly #eager: number
  readonly #cache = new Map<QueryWord, readonly PostingRow[]>()

  /** `eager`: up to this many postings, `count` also reads them. */
  constructor(db: Db, scope: Scope, eager: number) {
    this.#db = db
    this.#scope = scope
    this.#eager = eager
    this.#unmasked = [...scope.languages.keys()].filter((id) => !scope.masks.has(id))
    this.#dense = [...scope.masks].flatMap(([id, { isDense }]) => (isDense ? [id] : []))
    this.#places = [...scope.masks].flatMap(([partition, { isDense, blocks }]) =>
      isDense ? [] : blocks.map((block) => ({ partition, block })),
    )
  }

  /** The number of entries that contain each word. Also reads the postings if they cannot be many. */
  async count(words: readonly QueryWord[]): Promise<number[]> {
    if (words.length * this.#scope.entries > this.#eager) return this.#countOnly(words)
    return countPostings(await this.postings(words))
  }

  async postings(words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const unread = words.filter((word) => !this.#cache.has(word))
    if (unread.length > 0) {
      const whole = await this.#inWhole([...this.#unmasked, ...this.#dense], unread)
      const sparse = await this.#inPlaces(unread)
      for (const [index, word] of unread.entries()) this.#cache.set(word, [...(whole[index] ?? []), ...(sparse[index] ?? [])])
    }
    return words.map((word) => this.#cache.get(word) ?? [])
  }

  postingsIn(places: readonly BlockPlace[], words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    return this.#select(words, IN_PLACES, [places.map(({ partition }) => partition), places.map(({ block }) => block)])
  }

  async #inWhole(partitions: readonly number[], words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    return partitions.length === 0 ? [] : this.#select(words, WHOLE, [partitions])
  }

  async #inPlaces(words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    return this.#places.length === 0 ? [] : this.postingsIn(this.#places, words)
  }

  async #select(words: readonly QueryWord[], text: string, more: readonly unknown[]): Promise<PostingRow[][]> {
    const query = CompiledQuery.raw(text, [termsOf(words), ...more])
    const { rows } = await this.#db.executeQuery<PackedRow>(query)
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
      select language, term, sum(size) as bytes from retrieval_partition cross join unnest(${termsOf(words)}::text[]) as word (term)
      cross join lateral (
        select sum(octet_length(postings)) as size from retrieval_posting posting
        where posting.partition_id = retrieval_partition.id and posting.term = word.term) as sizes
      where id = any(${this.#unmasked}::bigint[]) and size > 0
      group by language, term`.execute(this.#db)
    const byTerm = wordsByTerm(words)
    const [dense, sparse] = [await this.#inWhole(this.#dense, words), await this.#inPlaces(words)].map(countPostings)
    const counts = words.map((_, index) => (dense?.[index] ?? 0) + (sparse?.[index] ?? 0))
    for (const { language, term, bytes } of rows) {
      for (const { index } of byTerm(language, term)) counts[index] = (counts[index] ?? 0) + Number(bytes) / POSTING_BYTES
    }
    return counts
  }
}

/** Of these terms those that visible entries of partitions with a filter contain. */
export async function visibleTerms(db: Db, { masks }: Scope, terms: readonly string[]): Promise<readonly string[]> {
  if (terms.length === 0) return []
  const { rows } = await db.executeQuery<PackedRow>(CompiledQuery.raw(WHOLE, [terms, [...masks.keys()]]))
  const isVisible = (row: PostingRow): boolean => (masks.get(row.partition)?.chosenOf(row).length ?? 0) > 0
  return rows.filter(({ packed }) => unpack(packed).some(isVisible)).map(({ term }) => term)
}

const countPostings = (rowsByWord: readonly (readonly PostingRow[])[]): number[] =>
  rowsByWord.map((rows) => rows.reduce((sum, { postings }) => sum + postings.length / POSTING_BYTES, 0))

/**
 * Packs all rows of a term into one base64 text, because the driver spends several times more on thousands of small rows than the
 * database. The order of rows does not matter: each posting adds to another entry.
 */
const ROW = 'int8send(partition_id) || int4send(block) || int4send(octet_length(postings)) || postings'
interface PackedRow {
  readonly term: string
  readonly packed: string
}

/**
 * The postings of the terms $1 in the partitions $2. Each list is looked up by its key: without current statistics of a partition that was
 * just filled, the planner would read all of its terms.
 */
const WHOLE = `
select term, encode(string_agg(packed, ''::bytea), 'base64') as packed
from unnest($1::text[]) as word (term) cross join unnest($2::bigint[]) as seen (id) cross join lateral (
  select string_agg(${ROW}, ''::bytea) as packed from retrieval_posting posting
  where posting.partition_id = seen.id and posting.term = word.term) as lists
where packed is not null group by term`

/** The postings of the terms $1 in the blocks $3 of the partitions $2. */
const IN_PLACES = `
select term, encode(string_agg(${ROW}, ''::bytea), 'base64') as packed
from unnest($1::text[]) as word (term) cross join unnest($2::bigint[], $3::integer[]) as place (partition_id, block)
join retrieval_posting using (partition_id, term, block) group by term`
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
