import { type Language, termOf } from './language.ts'
import { splitWords } from './words.ts'

export interface QueryWord {
  /** The word of the query in lower case. */
  readonly written: string
  /** Its term in each language; absent in languages where it is a stop word. */
  readonly terms: ReadonlyMap<Language, string>
  /** Number of occurrences in the query; less for a part of a compound, and for a term that is only similar to a word of the query. */
  readonly weight: number
  /** Whether the query has it only as a part of a compound. */
  readonly isPart?: boolean
}

/** A longer query, such as a pasted document, is reduced to its longest words. */
const MAX_WORDS = 64

/** Weight of a part of a compound. */
const PART_WEIGHT = 0.5

/** The distinct words to search for, and after them the parts of compounds. Stop words are included for a language in which the query has no other words. */
export function parseQuery(query: string, languages: readonly Language[]): QueryWord[] {
  const words = splitWords(query)
  const stopWordsOnly = new Set(languages.filter((language) => words.every((word) => termOf(word, language).stop)))
  const counted = new Map<string, QueryWord>()
  const parts = new Map<string, QueryWord>()
  for (const word of words) {
    const terms = new Map<Language, string>()
    for (const language of languages) {
      const term = termOf(word, language)
      if (!term.stop || stopWordsOnly.has(language)) terms.set(language, term.text)
      for (const part of term.parts) {
        count(parts, { written: part, terms: new Map([[language, part]]), weight: PART_WEIGHT, isPart: true })
      }
    }
    if (terms.size > 0) count(counted, { written: word.toLowerCase(), terms, weight: 1 })
  }
  const distinct = [...counted.values(), ...parts.values()]
  return distinct.length <= MAX_WORDS ? distinct : distinct.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_WORDS)
}

function count(counted: Map<string, QueryWord>, word: QueryWord): void {
  const key = [...word.terms].join(' ')
  counted.set(key, { ...word, weight: word.weight + (counted.get(key)?.weight ?? 0) })
}

const lengthOf = ({ terms }: QueryWord): number => Math.max(...[...terms.values()].map(({ length }) => length))
