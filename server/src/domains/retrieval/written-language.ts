import { createRequire } from 'node:module'
import { COMPOUND_WORDS, type CompoundLanguage } from './compound-words.ts'
import type { Language } from './language.ts'
import { visitWords } from './words.ts'

/** The libraries' names of languages that share short words with those that write compounds, and of these. */
const NAMES = {
  ...{ da: 'danish', de: 'german', en: 'english', es: 'spanish', fi: 'finnish', fr: 'french', hu: 'hungarian', it: 'italian' },
  ...{ nl: 'dutch', no: 'norwegian', pt: 'portuguese', ro: 'romanian', sv: 'swedish', tr: 'turkish' },
} as const
type Written = keyof typeof NAMES

/** Letters that few of the languages have. Each word with one counts as a short word. */
const LETTERS: readonly (readonly [letters: RegExp, languages: readonly Written[]])[] = [
  [/ß/, ['de']],
  [/ü/, ['de', 'tr', 'hu']],
  [/ä/, ['de', 'sv', 'fi']],
  [/ö/, ['de', 'sv', 'fi', 'tr', 'hu']],
  [/å/, ['sv', 'da', 'no']],
  [/[æø]/, ['da', 'no']],
]
/** The language of a long text is clear after this many words. */
const MAX_WORDS = 300

const require = createRequire(import.meta.url)
let shortWords: ReadonlyMap<string, readonly Written[]> | undefined

function loadShortWords(): ReadonlyMap<string, readonly Written[]> {
  const languages = new Map<string, Written[]>()
  for (const [language, name] of Object.entries(NAMES) as [Written, string][]) {
    const { stopwords } = require(`@orama/stopwords/${name}`) as { stopwords: string[] }
    for (const word of new Set(stopwords)) languages.set(word, [...(languages.get(word) ?? []), language])
  }
  return languages
}

/**
 * The language of a text that writes compounds as one word, by its short words and letters. Undefined for a text in another language, or
 * of which no words and letters tell it. The same text always gives the same language.
 */
export function compoundLanguageOf(text: string): CompoundLanguage | undefined {
  const likely = likelyLanguages(text)
  // Short English words are also German, Dutch or Swedish ones, and English is the most frequent of these languages.
  const [only, ...others] = likely.includes('en') ? [] : likely.filter(isCompounding)
  return others.length === 0 ? only : undefined
}

/**
 * The languages in which the compounds of a query are split: all that it may have, because one word shows no language. A text is found by
 * parts only if it has all of them, so a wrong language finds next to nothing.
 */
export function compoundLanguagesOf(query: string): readonly CompoundLanguage[] {
  const likely = likelyLanguages(query)
  return likely.length === 0 ? COMPOUND_LANGUAGES : likely.filter(isCompounding)
}

const COMPOUND_LANGUAGES = Object.keys(COMPOUND_WORDS) as CompoundLanguage[]

/** A document with fewer short words of its language, or a smaller share of them, such as code, shows none. */
const CLEAR_WORDS = 10
const CLEAR_SHARE = 0.15

/**
 * The language of a document, if its short words show it clearly: at least ten of them, and twice as many as of `expected`. Undefined
 * otherwise, and if `expected` is a language that these words cannot be compared with.
 */
export function writtenLanguageOf(text: string, expected: Language): Language | undefined {
  if (!Object.hasOwn(NAMES, expected)) return undefined
  const { counts, read } = countLanguages(text, 2)
  const [first, second] = [...counts].toSorted(([, a], [, b]) => b - a)
  if (!first || first[1] < Math.max(CLEAR_WORDS, CLEAR_SHARE * read) || first[1] === second?.[1]) return undefined
  const [language, count] = first
  return language === expected || count >= 2 * (counts.get(expected as Written) ?? 0) ? language : undefined
}

/** The languages with the most short words and letters in the text; empty: it has none of them. */
function likelyLanguages(text: string): readonly Written[] {
  const { counts } = countLanguages(text)
  const most = Math.max(...counts.values())
  return [...counts].flatMap(([language, count]) => (count === most ? [language] : []))
}

/** Without words that have fewer than `least` letters: variables and initials are no words of a language. */
function countLanguages(text: string, least = 1): { readonly counts: ReadonlyMap<Written, number>; readonly read: number } {
  shortWords ??= loadShortWords()
  const known = shortWords
  const counts = new Map<Written, number>()
  let read = 0
  visitWords(text, (word) => {
    if (read > MAX_WORDS) return
    read++
    if (word.length < least) return
    const lower = word.toLowerCase()
    for (const language of known.get(lower) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
    for (const [letters, languages] of LETTERS)
      if (letters.test(lower)) for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1)
  })
  return { counts, read }
}

const isCompounding = (language: Written): language is CompoundLanguage => Object.hasOwn(COMPOUND_WORDS, language)
