import { type Language, termOf } from './language.ts'
import { splitWords } from './words.ts'

/** One word of a query. */
export interface QueryWord {
  /** In the query, in lower case. */
  readonly written: string
  /** The term that it is in each language; absent where it is a stop word. */
  readonly terms: ReadonlyMap<Language, string>
  /** How often the query has it; less for a term that only resembles a word of the query. */
  readonly weight: number
}

/** A pasted document is no query: of so many words the longest stand for all. */
const MAX_WORDS = 64

/** The words to look for, each once. Where a language knows nothing but stop words in the query, these are looked for. */
export function readQuery(query: string, languages: readonly Language[]): QueryWord[] {
  const words = splitWords(query)
  const silent = new Set(languages.filter((language) => words.every((word) => termOf(word, language).stop)))
  const counted = new Map<string, { written: string; terms: Map<Language, string>; weight: number }>()
  for (const word of words) {
    const terms = new Map<Language, string>()
    for (const language of languages) {
      const { text, stop } = termOf(word, language)
      if (!stop || silent.has(language)) terms.set(language, text)
    }
    if (terms.size === 0) continue
    const key = [...terms].join(' ')
    const known = counted.get(key)
    if (known) known.weight++
    else counted.set(key, { written: word.toLowerCase(), terms, weight: 1 })
  }
  const found = [...counted.values()]
  return found.length <= MAX_WORDS ? found : found.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_WORDS)
}

const lengthOf = ({ terms }: QueryWord): number => Math.max(...[...terms.values()].map(({ length }) => length))
