import { type Language, termOf } from './language.ts'
import { splitWords } from './words.ts'

export interface QueryWord {
  /** The word of the query in lower case. */
  readonly written: string
  /** Its term in each language; absent in languages where it is a stop word. */
  readonly terms: ReadonlyMap<Language, string>
  /** Number of occurrences in the query; less for a term that is only similar to a word of the query. */
  readonly weight: number
}

/** A longer query, such as a pasted document, is reduced to its longest words. */
const MAX_WORDS = 64

/** The distinct words to search for. Stop words are included for a language in which the query has no other words. */
export function parseQuery(query: string, languages: readonly Language[]): QueryWord[] {
  const words = splitWords(query)
  const stopWordsOnly = new Set(languages.filter((language) => words.every((word) => termOf(word, language).stop)))
  const counted = new Map<string, { written: string; terms: Map<Language, string>; weight: number }>()
  for (const word of words) {
    const terms = new Map<Language, string>()
    for (const language of languages) {
      const { text, stop } = termOf(word, language)
      if (!stop || stopWordsOnly.has(language)) terms.set(language, text)
    }
    if (terms.size === 0) continue
    const key = [...terms].join(' ')
    const existing = counted.get(key)
    if (existing) existing.weight++
    else counted.set(key, { written: word.toLowerCase(), terms, weight: 1 })
  }
  const distinct = [...counted.values()]
  return distinct.length <= MAX_WORDS ? distinct : distinct.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_WORDS)
}

const lengthOf = ({ terms }: QueryWord): number => Math.max(...[...terms.values()].map(({ length }) => length))
