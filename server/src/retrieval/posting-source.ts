import type pg from 'pg'
import type { Language } from './language.ts'
import { POSTING_BYTES } from './postings.ts'
import type { QueryWord } from './query.ts'
import type { Scope } from './scope.ts'

/** The postings of one term, or a part of them: those of one block. */
export interface PostingRow {
  readonly partition: number
  readonly block: number
  readonly postings: Buffer
}

/** Where a block lies. */
export type BlockPlace = Pick<PostingRow, 'partition' | 'block'>

/** The postings of query words, within a scope and nowhere else. */
export class PostingSource {
  readonly #pool: pg.Pool
  readonly #scope: Scope
  readonly #ids: readonly number[]
  readonly #eager: number
  readonly #read = new Map<QueryWord, readonly PostingRow[]>()

  /** `eager`: how many postings may be read along with their number. */
  constructor(pool: pg.Pool, scope: Scope, eager: number) {
    this.#pool = pool
    this.#scope = scope
    this.#eager = eager
    this.#ids = [...scope.languages.keys()]
  }

  /** How many entries have each word. Reads the postings along with it when they cannot be many. */
  async count(words: readonly QueryWord[]): Promise<number[]> {
    if (words.length * this.#scope.entries > this.#eager) return this.#countOnly(words)
    const read = await this.postings(words)
    return read.map((rows) => rows.reduce((sum, { postings }) => sum + postings.length / POSTING_BYTES, 0))
  }

  /** All postings of each word. */
  async postings(words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const unread = words.filter((word) => !this.#read.has(word))
    if (unread.length > 0) {
      const rows = await this.#select(unread, `${PACKED} where`)
      for (const [at, word] of unread.entries()) this.#read.set(word, rows[at] ?? [])
    }
    return words.map((word) => this.#read.get(word) ?? [])
  }

  /** The postings of each word that lie in these blocks. */
  postingsIn(places: readonly BlockPlace[], words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const text = `${PACKED}
      join unnest($3::bigint[], $4::integer[]) as place (partition_id, block) using (partition_id, block) where`
    return this.#select(words, text, [places.map(({ partition }) => partition), places.map(({ block }) => block)])
  }

  async #select(words: readonly QueryWord[], select: string, more: unknown[] = []): Promise<PostingRow[][]> {
    const { rows } = await this.#pool.query<[term: string, packed: string]>({
      rowMode: 'array',
      text: `${select} partition_id = any($1::bigint[]) and term = any($2::text[]) group by term`,
      values: [this.#ids, termsOf(words), ...more],
    })
    const byTerm = new WordsByTerm(words)
    const found: PostingRow[][] = words.map(() => [])
    for (const [term, packed] of rows) {
      for (const row of unpacked(packed)) {
        for (const at of byTerm.get(this.#scope.languages.get(row.partition), term)) found[at]?.push(row)
      }
    }
    return found
  }

  async #countOnly(words: readonly QueryWord[]): Promise<number[]> {
    const { rows } = await this.#pool.query<[language: Language, term: string, bytes: number]>({
      rowMode: 'array',
      text: `select language, term, sum(octet_length(postings)) from retrieval_posting
        join retrieval_partition on id = partition_id where partition_id = any($1::bigint[]) and term = any($2::text[])
        group by language, term`,
      values: [this.#ids, termsOf(words)],
    })
    const byTerm = new WordsByTerm(words)
    const counts = words.map(() => 0)
    for (const [language, term, bytes] of rows) {
      for (const at of byTerm.get(language, term)) counts[at] = (counts[at] ?? 0) + Number(bytes) / POSTING_BYTES
    }
    return counts
  }
}

/**
 * All rows of a term in one, in base64: thousands of small rows cost the driver several times what the database spends on them.
 * The order of the rows is left open, since a word's postings are added to different entries.
 */
const PACKED = `select term, encode(string_agg(
  int8send(partition_id) || int4send(block) || int4send(octet_length(postings)) || postings, ''::bytea), 'base64')
  from retrieval_posting`
const HEAD_BYTES = 16

function* unpacked(packed: string): Generator<PostingRow> {
  const bytes = Buffer.from(packed, 'base64')
  for (let at = 0; at < bytes.length; ) {
    const start = at + HEAD_BYTES
    const end = start + bytes.readInt32BE(at + 12)
    yield { partition: Number(bytes.readBigInt64BE(at)), block: bytes.readInt32BE(at + 8), postings: bytes.subarray(start, end) }
    at = end
  }
}

const termsOf = (words: readonly QueryWord[]): string[] => [...new Set(words.flatMap(({ terms }) => [...terms.values()]))]

/** Which words a term of a language stands for: several when their stems are the same. */
class WordsByTerm {
  readonly #places = new Map<string, number[]>()

  constructor(words: readonly QueryWord[]) {
    words.forEach(({ terms }, at) => {
      for (const [language, term] of terms) {
        const key = `${language} ${term}`
        const places = this.#places.get(key)
        if (places) places.push(at)
        else this.#places.set(key, [at])
      }
    })
  }

  get(language: Language | undefined, term: string): readonly number[] {
    return this.#places.get(`${language} ${term}`) ?? []
  }
}
