import type { Db } from '../../platform/db/database.ts'
import type { Language } from './language.ts'
import type { BlockPlace, PostingRow } from './posting.ts'
import { countListed, type Lists, readBlocks, readLists } from './posting-lists.ts'
import type { QueryWord } from './query.ts'
import type { Scope } from './scope.ts'

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
    return (await this.postings(words)).map(countPostings)
  }

  async postings(words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const unread = words.filter((word) => !this.#cache.has(word))
    if (unread.length > 0) {
      const read = await this.#read(unread, [...this.#unmasked, ...this.#dense])
      for (const [index, word] of unread.entries()) this.#cache.set(word, read[index] ?? [])
    }
    return words.map((word) => this.#cache.get(word) ?? [])
  }

  /** The postings in these blocks, and those of pending entries. */
  async postingsIn(places: readonly BlockPlace[], words: readonly QueryWord[]): Promise<(readonly PostingRow[])[]> {
    const terms = termsOf(words)
    return this.#choose(words, [await readBlocks(this.#db, terms, places, this.#scope.legacy), this.#pendingOf(terms)])
  }

  /** The postings in these partitions, in the blocks with visible entries of partitions that are not dense, and of pending entries. */
  async #read(words: readonly QueryWord[], partitions: readonly number[]): Promise<PostingRow[][]> {
    const { legacy } = this.#scope
    const terms = termsOf(words)
    const lists = await readLists(this.#db, terms, partitions, legacy)
    return this.#choose(words, [lists, await readBlocks(this.#db, terms, this.#places, legacy), this.#pendingOf(terms)])
  }

  #pendingOf(terms: readonly string[]): Lists {
    return new Map(terms.map((term) => [term, this.#scope.pending.postingsOf(term)]))
  }

  /** The visible postings of each word. */
  #choose(words: readonly QueryWord[], sources: readonly Lists[]): PostingRow[][] {
    const { masks, languages } = this.#scope
    const byTerm = wordsByTerm(words)
    const rowsByWord: PostingRow[][] = words.map(() => [])
    for (const [term, rows] of sources.flatMap((lists) => [...lists])) {
      for (const row of rows) {
        const mask = masks.get(row.partition)
        const visible = mask ? { ...row, postings: mask.chosenOf(row) } : row
        if (visible.postings.length === 0) continue
        for (const { index } of byTerm(languages.get(row.partition), term)) rowsByWord[index]?.push(visible)
      }
    }
    return rowsByWord
  }

  async #countOnly(words: readonly QueryWord[]): Promise<number[]> {
    const counts = (await this.#read(words, this.#dense)).map(countPostings)
    const byTerm = wordsByTerm(words)
    for (const { language, term, postings } of await countListed(this.#db, termsOf(words), this.#unmasked, this.#scope.legacy)) {
      for (const { index } of byTerm(language, term)) counts[index] = (counts[index] ?? 0) + postings
    }
    return counts
  }
}

/** Of these terms those that visible entries of partitions with a mask contain. */
export async function visibleTerms(
  db: Db,
  { masks, pending, legacy }: Scope,
  terms: readonly string[],
): Promise<readonly string[]> {
  const lists = await readLists(db, terms, [...masks.keys()], legacy)
  const isVisible = (row: PostingRow): boolean => (masks.get(row.partition)?.chosenOf(row).length ?? 0) > 0
  return terms.filter((term) => [...(lists.get(term) ?? []), ...pending.postingsOf(term)].some(isVisible))
}

const countPostings = (rows: readonly PostingRow[]): number => rows.reduce((sum, { postings }) => sum + postings.length, 0)

const termsOf = (words: readonly QueryWord[]): string[] => [...new Set(words.flatMap(({ terms }) => [...terms.values()]))]

type Keyed = { readonly key: string; readonly index: number }

/** Finds the query words of a term in a language: several if their stems are equal. */
function wordsByTerm(words: readonly QueryWord[]): (language: Language | undefined, term: string) => readonly Keyed[] {
  const keyed = words.flatMap(({ terms }, index) => [...terms].map(([language, term]) => ({ key: `${language} ${term}`, index })))
  const byKey = Map.groupBy(keyed, ({ key }) => key)
  return (language, term) => byKey.get(`${language} ${term}`) ?? []
}
