import { createRequire } from 'node:module'
import { splitWords } from './words.ts'

/** The library's name of each language; its stemmers and stop words are read when a language is first met. */
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

/** ISO 639-1, or `none`: words are taken as they are. */
export type Language = keyof typeof NAMES | 'none'
export const LANGUAGES: readonly Language[] = ['none', ...(Object.keys(NAMES) as (keyof typeof NAMES)[])]

/** What the library's lists of stop words lack. */
const MORE_STOP_WORDS: Partial<Record<Language, readonly string[]>> = { en: ['a'] }
/** Stems that are remembered for each language: the library takes microseconds for one. */
const MAX_REMEMBERED = 20_000

interface Analyser {
  readonly stem: (word: string) => string
  readonly stopWords: ReadonlySet<string>
  readonly terms: Map<string, Term>
}

/** A word as it is looked up. */
export interface Term {
  readonly text: string
  /** So frequent in its language that it tells nothing: indexed, but asked for only when a query has nothing else. */
  readonly stop: boolean
}

const require = createRequire(import.meta.url)
const analysers = new Map<Language, Analyser>()

function analyserOf(language: Language): Analyser {
  const known = analysers.get(language)
  if (known) return known
  const analyser = { ...(language === 'none' ? PLAIN : read(language)), terms: new Map() }
  analysers.set(language, analyser)
  return analyser
}

const PLAIN = { stem: (word: string): string => word, stopWords: new Set<string>() }

function read(language: keyof typeof NAMES): Pick<Analyser, 'stem' | 'stopWords'> {
  const { stemmer } = require(`@orama/stemmers/${NAMES[language]}`) as { stemmer: (word: string) => string }
  const { stopwords } = require(`@orama/stopwords/${NAMES[language]}`) as { stopwords: string[] }
  return {
    stem: MENDED[language]?.(stemmer) ?? stemmer,
    stopWords: new Set([...stopwords, ...(MORE_STOP_WORDS[language] ?? [])]),
  }
}

/** Where the library's stemmer goes astray. */
const MENDED: Partial<Record<Language, (stem: (word: string) => string) => (word: string) => string>> = {
  // Porter takes “ion” off “connection”; the library takes the t as well, and “connected” is another word.
  en: (stem) => (word) => {
    const short = stem(word)
    return /^[st]ions?$/.test(word.slice(short.length)) && word.startsWith(short) ? word.slice(0, short.length + 1) : short
  },
}

/** The term that `word`, one of `splitWords`, is indexed and looked up as. */
export function termOf(word: string, language: Language): Term {
  const { stem, stopWords, terms } = analyserOf(language)
  const known = terms.get(word)
  if (known) return known
  const written = word.replaceAll('’', "'")
  const lower = language === 'tr' ? written.toLocaleLowerCase('tr') : written.toLowerCase()
  const plain = withoutElision(lower)
  const term = {
    text: /^[\p{L}\p{M}]+$/u.test(plain) ? stem(plain) || plain : plain,
    stop: stopWords.has(lower) || stopWords.has(plain),
  }
  if (terms.size >= MAX_REMEMBERED) terms.clear()
  terms.set(word, term)
  return term
}

/** “Anne’s” → anne, “l’avion” → avion: of what an apostrophe joins, the longest. */
function withoutElision(word: string): string {
  const parts = word.split("'")
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest))
}

/** The terms of a text, in its order, as often as they occur; stop words left out. */
export const termsOf = (text: string, language: Language): string[] =>
  splitWords(text)
    .map((word) => termOf(word, language))
    .filter(({ stop }) => !stop)
    .map(({ text }) => text)
