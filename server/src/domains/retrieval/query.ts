import { type Language, termOf } from './language.ts'
import type { LabelledText, ReportCall } from './service-limits.ts'
import { splitWords } from './words.ts'

/** The text of a search. Its labels decide to which servers it may be sent. */
export interface SearchText extends LabelledText {
  readonly text: string
  /** Earlier questions of the conversation, latest first. Their words count less, and most after a short question. */
  readonly earlier?: readonly string[] | undefined
  readonly reportCall?: ReportCall | undefined
  /** The language of the partitions is not that of their texts: entries that have only the parts of a compound of the query come last. */
  readonly inAnyLanguage?: boolean
}

export interface QueryWord {
  /** The word of the query in lower case. */
  readonly written: string
  /** Its term in each language; absent in languages where it is a stop word. */
  readonly terms: ReadonlyMap<Language, string>
  /** Number of occurrences in the query; less for a part of a compound, a word of an earlier question, and a term that is only similar to a word of the query. */
  readonly weight: number
  /** Whether only this spelling is searched: a part of a compound, or a word of an earlier question. */
  readonly isExact?: boolean
}

/** A longer query, such as a pasted document, is reduced to its longest words. */
const MAX_WORDS = 64

/** Weight of a part of a compound. */
const PART_WEIGHT = 0.5

/** At most so many words of earlier questions. */
const MAX_EARLIER = 32
/** Weight of the words of the latest earlier question, divided by the number of all words; half of it for each question before. */
const EARLIER_WEIGHT = 2

/** The distinct words to search for, and after them the parts of compounds and the words of earlier questions. Stop words are included for a language in which the query has no other words. */
export function parseQuery({ text, earlier = [] }: SearchText, languages: readonly Language[]): QueryWord[] {
  const words = splitWords(text)
  const before = earlier.map(splitWords)
  const stopWordsOnly = new Set(
    languages.filter((language) => [words, ...before].flat().every((word) => termOf(word, language).stop)),
  )
  const counted = new Map<string, QueryWord>()
  const parts = new Map<string, QueryWord>()
  for (const word of words) {
    const terms = new Map<Language, string>()
    for (const language of languages) {
      const term = termOf(word, language)
      if (!term.stop || stopWordsOnly.has(language)) terms.set(language, term.text)
      for (const part of term.parts) {
        count(parts, { written: part, terms: new Map([[language, part]]), weight: PART_WEIGHT, isExact: true })
      }
    }
    if (terms.size > 0) count(counted, { written: word.toLowerCase(), terms, weight: 1 })
  }
  const own = longest([...counted.values(), ...parts.values()], MAX_WORDS)
  return [...own, ...earlierWords(before, languages, counted)]
}

/** The words of earlier questions that the question does not have. */
function earlierWords(
  questions: readonly (readonly string[])[],
  languages: readonly Language[],
  own: ReadonlyMap<string, QueryWord>,
): QueryWord[] {
  const words = new Map<string, QueryWord>()
  for (const [place, question] of questions.entries()) {
    for (const word of question) {
      const terms = new Map(
        languages.flatMap((language) => {
          const { text, stop } = termOf(word, language)
          return stop ? [] : [[language, text] as const]
        }),
      )
      const key = keyOf(terms)
      if (terms.size > 0 && !own.has(key) && !words.has(key)) {
        words.set(key, { written: word.toLowerCase(), terms, weight: 2 ** -place, isExact: true })
      }
    }
  }
  const scale = Math.min(1, EARLIER_WEIGHT / (own.size + words.size))
  return longest([...words.values()], MAX_EARLIER).map((word) => ({ ...word, weight: word.weight * scale }))
}

const longest = (words: readonly QueryWord[], most: number): readonly QueryWord[] =>
  words.length <= most ? words : words.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, most)

const keyOf = (terms: QueryWord['terms']): string => [...terms].join(' ')

function count(counted: Map<string, QueryWord>, word: QueryWord): void {
  const key = keyOf(word.terms)
  counted.set(key, { ...word, weight: word.weight + (counted.get(key)?.weight ?? 0) })
}

const lengthOf = ({ terms }: QueryWord): number => Math.max(...[...terms.values()].map(({ length }) => length))
