import { createRequire } from 'node:module'
import { splitWords } from './words.ts'

/** The library's name of each language. Stemmers and stop words are loaded at the first use of a language. */
const NAMES = {
  ar: 'arabic',
  bg: 'bulgarian',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'indian',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sa: 'sanskrit',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  uk: 'ukrainian',
} as const

/** Languages whose words `splitWords` divides, so that they need no stemmer. */
const UNSTEMMED = ['ja', 'ko', 'th', 'zh'] as const

/** ISO 639-1, or `none`: words are not stemmed. */
export type Language = keyof typeof NAMES | (typeof UNSTEMMED)[number] | 'none'
export const LANGUAGES: readonly Language[] = ['none', ...(Object.keys(NAMES) as (keyof typeof NAMES)[]), ...UNSTEMMED]

/** Stop words that the library's lists do not contain. */
const MORE_STOP_WORDS: Partial<Record<Language, readonly string[]>> = { en: ['a'] }
/** Cached stems for each language, because the library takes microseconds for each. */
const MAX_CACHED = 20_000

interface Analyser {
  readonly stem: (word: string) => string
  readonly stopWords: ReadonlySet<string>
  readonly terms: Map<string, Term>
}

/** The indexed form of a word. */
export interface Term {
  readonly text: string
  /** A stop word: indexed, but searched only if the query has no other words. */
  readonly stop: boolean
}

const require = createRequire(import.meta.url)
const analysers = new Map<Language, Analyser>()

function getAnalyser(language: Language): Analyser {
  const existing = analysers.get(language)
  if (existing) return existing
  const analyser = { ...(hasStemmer(language) ? loadAnalyser(language) : PLAIN), terms: new Map() }
  analysers.set(language, analyser)
  return analyser
}

const hasStemmer = (language: Language): language is keyof typeof NAMES => Object.hasOwn(NAMES, language)

const PLAIN = { stem: (word: string): string => word, stopWords: new Set<string>() }

function loadAnalyser(language: keyof typeof NAMES): Pick<Analyser, 'stem' | 'stopWords'> {
  const { stemmer } = require(`@orama/stemmers/${NAMES[language]}`) as { stemmer: (word: string) => string }
  const { stopwords } = require(`@orama/stopwords/${NAMES[language]}`) as { stopwords: string[] }
  return {
    stem: STEMMER_FIXES[language]?.(stemmer) ?? stemmer,
    stopWords: new Set([...stopwords, ...(MORE_STOP_WORDS[language] ?? [])]),
  }
}

/** Corrections of the library's stemmers. */
const STEMMER_FIXES: Partial<Record<Language, (stem: (word: string) => string) => (word: string) => string>> = {
  // Porter removes “ion” from “connection”; the library also removes the “t”, so “connected” would get another stem.
  en: (stem) => (word) => {
    const short = stem(word)
    return /^[st]ions?$/.test(word.slice(short.length)) && word.startsWith(short) ? word.slice(0, short.length + 1) : short
  },
}

/** The term that indexes a word of `splitWords`. */
export function termOf(word: string, language: Language): Term {
  const { stem, stopWords, terms } = getAnalyser(language)
  const cached = terms.get(word)
  if (cached) return cached
  const written = word.replaceAll('’', "'")
  // The lower case of İ has a combining dot, which other spellings of the word do not have.
  const lower = language === 'tr' ? written.toLocaleLowerCase('tr') : written.toLowerCase().replaceAll('i\u0307', 'i')
  const plain = withoutElision(lower)
  const term = {
    text: /^[\p{L}\p{M}]+$/u.test(plain) ? stem(plain) || plain : plain,
    stop: stopWords.has(lower) || stopWords.has(plain),
  }
  if (terms.size >= MAX_CACHED) terms.clear()
  terms.set(word, term)
  return term
}

/** Keeps the longest part of a word with apostrophes: “Anne’s” → anne, “l’avion” → avion. */
function withoutElision(word: string): string {
  const parts = word.split("'")
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest))
}

/** The terms of a text in their order, with repetitions and without stop words. */
export const termsOf = (text: string, language: Language): string[] =>
  splitWords(text)
    .map((word) => termOf(word, language))
    .filter(({ stop }) => !stop)
    .map(({ text }) => text)
