import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Language } from './language.ts'
import type { Partition } from './partition.ts'
import { POSTING_BYTES } from './posting-store.ts'
import type { QueryWord } from './query.ts'

/** Statistics of the partitions that a viewer may see: the only statistics that a ranking uses. */
export interface Scope {
  /** The languages of the partitions with entries, by partition id. */
  readonly languages: ReadonlyMap<number, Language>
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
  const entries = rows.reduce((sum, row) => sum + row.entries, 0)
  const length = rows.reduce((sum, row) => sum + row.length, 0)
  return { languages: new Map(rows.map(({ id, language }) => [id, language])), entries, averageLength: length / entries || 1 }
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
  readonly #ids: readonly number[]
  readonly #eager: number
  readonly #cache = new Map<QueryWord, readonly PostingRow[]>()

  /** `eager`: up to this many postings, `count` also reads them. */
  constructor(db: Db, scope: Scope, eager: number) {
    this.#db = db
    this.#scope = scope
    this.#eager = eager
    this.#ids = [...scope.languages.keys()]
  }

  /** The number of entries that contain each word. Also reads the postings if they cannot be many. */
  async count(words: readonly QueryWord[]): Promise<number[]> {
    if (words.length * this.#scope.entries > this.#eager) return this.#countOnly(words)
    const postings = await this.postings(words)
    return postings.map((rows) => rows.reduce((sum, { postings }) => sum + postings.length / POSTING_BYTES, 0))
  }

  async postings(words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const unread = words.filter((word) => !this.#cache.has(word))
    if (unread.length > 0) {
      const rows = await this.#select(unread, `${PACKED} where`)
      for (const [index, word] of unread.entries()) this.#cache.set(word, rows[index] ?? [])
    }
    return words.map((word) => this.#cache.get(word) ?? [])
  }

  postingsIn(places: readonly BlockPlace[], words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const text = `${PACKED}
      join unnest($3::bigint[], $4::integer[]) as place (partition_id, block) using (partition_id, block) where`
    return this.#select(words, text, [places.map(({ partition }) => partition), places.map(({ block }) => block)])
  }

  async #select(words: readonly QueryWord[], select: string, more: unknown[] = []): Promise<PostingRow[][]> {
    const text = `${select} partition_id = any($1::bigint[]) and term = any($2::text[]) group by term`
    const query = CompiledQuery.raw(text, [this.#ids, termsOf(words), ...more])
    const { rows } = await this.#db.executeQuery<{ term: string; packed: string }>(query)
    const byTerm = wordsByTerm(words)
    const rowsByWord: PostingRow[][] = words.map(() => [])
    for (const { term, packed } of rows) {
      for (const row of unpack(packed)) {
        for (const { index } of byTerm(this.#scope.languages.get(row.partition), term)) rowsByWord[index]?.push(row)
      }
    }
    return rowsByWord
  }

  async #countOnly(words: readonly QueryWord[]): Promise<number[]> {
    const { rows } = await sql<{ language: Language; term: string; bytes: number }>`
      select language, term, sum(octet_length(postings)) as bytes from retrieval_posting
      join retrieval_partition on id = partition_id
      where partition_id = any(${this.#ids}::bigint[]) and term = any(${termsOf(words)}::text[])
      group by language, term`.execute(this.#db)
    const byTerm = wordsByTerm(words)
    const counts = words.map(() => 0)
    for (const { language, term, bytes } of rows) {
      for (const { index } of byTerm(language, term)) counts[index] = (counts[index] ?? 0) + Number(bytes) / POSTING_BYTES
    }
    return counts
  }
}

/**
 * Packs all rows of a term into one base64 text, because the driver spends several times more on thousands of small rows than the
 * database. The order of rows does not matter: each posting adds to another entry.
 */
const PACKED = `select term, encode(string_agg(
  int8send(partition_id) || int4send(block) || int4send(octet_length(postings)) || postings, ''::bytea), 'base64') as packed
  from retrieval_posting`
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
