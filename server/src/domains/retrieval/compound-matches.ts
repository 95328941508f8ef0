import { type Language, largestPartsOf, termOf } from './language.ts'
import type { PostingSource } from './posting-source.ts'
import type { QueryWord } from './query.ts'
import type { Scope } from './scope.ts'
import { type Candidate, Scoreboard, termWeight } from './scoreboard.ts'
import { splitWords } from './words.ts'
import { compoundLanguagesOf } from './written-language.ts'

/** Compounds of a query that are split, in each of its languages. */
const MAX_COMPOUNDS = 8

/**
 * The entries that contain all the parts of a compound of the query. `score`: 0 to 1. Compounds with more than `most` postings are not
 * searched.
 */
export async function findCompounds(
  source: PostingSource,
  scope: Scope,
  query: string,
  most: number,
): Promise<readonly Candidate[]> {
  const compounds = compoundsOf(query, [...new Set(scope.languages.values())])
  const counts = await countByWord(source, compounds.flat())
  const matches = (word: QueryWord): number => counts.get(word) ?? 0
  const best = new Map<string, Candidate>()
  for (const words of compounds) {
    if (words.some((word) => matches(word) === 0) || words.reduce((sum, word) => sum + matches(word), 0) > most) continue
    const rows = await source.postings(words)
    const weights = words.map((word) => termWeight(matches(word), scope.entries))
    const boards = weights.map((weight, index) => {
      const board = new Scoreboard()
      board.add(rows[index] ?? [], weight, scope.averageLength)
      return board
    })
    const highest = weights.reduce((sum, weight) => sum + weight, 0)
    const hasAll = (partition: number, number: number) => boards.every((board) => board.has(partition, number))
    for (const { partition, number } of boards[0]?.best(Number.POSITIVE_INFINITY, hasAll) ?? []) {
      const score = boards.reduce((sum, board) => sum + board.scoreOf(partition, number), 0) / highest
      const key = `${partition}/${number}`
      if (score > (best.get(key)?.score ?? 0)) best.set(key, { partition, number, score })
    }
  }
  return [...best.values()]
}

function compoundsOf(query: string, languages: readonly Language[]): readonly (readonly QueryWord[])[] {
  const wordOf = (part: string): QueryWord => ({
    written: part,
    terms: new Map(languages.map((language) => [language, termOf(part, language).text])),
    weight: 1,
    isExact: true,
  })
  const words = [...new Set(splitWords(query))]
  return compoundLanguagesOf(query)
    .flatMap((compounds) => words.map((word) => largestPartsOf(word, compounds)))
    .filter(({ length }) => length > 1)
    .slice(0, MAX_COMPOUNDS)
    .map((parts) => [...new Set(parts)].map(wordOf))
}

async function countByWord(source: PostingSource, words: readonly QueryWord[]): Promise<ReadonlyMap<QueryWord, number>> {
  if (words.length === 0) return new Map()
  const counts = await source.count(words)
  return new Map(words.map((word, index) => [word, counts[index] ?? 0]))
}
