import { createRequire } from 'node:module'
import { normalize } from '../../platform/lib/normalize.ts'
import { compoundSplitter, type SplitCompound } from './compounds.ts'
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
  /** Set for a language that writes compounds as one word. */
  readonly splitCompound?: SplitCompound | undefined
  readonly terms: Map<string, Term>
}

/** The indexed form of a word. */
export interface Term {
  readonly text: string
  /** A stop word: indexed, but searched only if the query has no other words. */
  readonly stop: boolean
  /** The terms of a compound's parts: “Krankenversicherung” is also indexed as the terms of “kranken” and “Versicherung”. */
  readonly parts: readonly string[]
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

function loadAnalyser(language: keyof typeof NAMES): Omit<Analyser, 'terms'> {
  const { stemmer } = require(`@orama/stemmers/${NAMES[language]}`) as { stemmer: (word: string) => string }
  const { stopwords } = require(`@orama/stopwords/${NAMES[language]}`) as { stopwords: string[] }
  const words = {
    stem: STEMMER_FIXES[language]?.(stemmer) ?? stemmer,
    stopWords: new Set([...stopwords, ...(MORE_STOP_WORDS[language] ?? [])].flatMap((word) => [word, fold(word)])),
  }
  return { ...words, splitCompound: compoundSplitter(language, words) }
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
  const { stem, stopWords, splitCompound, terms } = getAnalyser(language)
  const cached = terms.get(word)
  if (cached) return cached
  const written = word.replace(/[’ʼ]/g, "'")
  // The lower case of İ has a combining dot, which other spellings of the word do not have.
  const lower = fold(language === 'tr' ? written.toLocaleLowerCase('tr') : written.toLowerCase().replaceAll('i\u0307', 'i'))
  const plain = withoutElision(lower)
  const term = {
    text: /^[\p{L}\p{M}]+$/u.test(plain) ? stem(plain) || plain : plain,
    stop: stopWords.has(lower) || stopWords.has(plain),
    parts: [...new Set(splitCompound?.(plain).map((part) => stem(part) || part))],
  }
  if (terms.size >= MAX_CACHED) terms.clear()
  terms.set(word, term)
  return term
}

/** The parts of a compound, as words of another language are indexed. Empty: the word is no compound of the language. */
export function partsOfCompound(word: string, compounds: Language, language: Language): string[] {
  const parts = getAnalyser(compounds).splitCompound?.(fold(word.toLowerCase())) ?? []
  return parts.map((part) => termOf(part, language).text)
}

/** The largest parts of a compound, in lower case. Empty: the word is no compound of the language. */
export function largestPartsOf(word: string, compounds: Language): readonly string[] {
  const split = getAnalyser(compounds).splitCompound
  const parts = split?.(fold(word.toLowerCase())) ?? []
  const largest: string[] = []
  // A part is followed by its own parts.
  for (let at = 0; at < parts.length; at += 1 + (split?.(largest.at(-1) ?? '').length ?? 0)) largest.push(parts[at] ?? '')
  return largest
}

/** Arabic vowel marks and the stretching sign, and Hebrew points, which most texts leave out. */
const OPTIONAL_MARKS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc]/g
const GREEK = /\p{Script=Greek}/u

/** One spelling of letters that are also written in another way: Greek capitals have no accents, and ß is ss in Switzerland and in capitals. Never empty. */
function fold(word: string): string {
  if (ASCII_WORD.test(word)) return word
  const folded = word.replaceAll('ß', 'ss').replace(OPTIONAL_MARKS, '') || word
  return GREEK.test(folded) ? normalize(folded, 'NFD').replace(/\p{M}/gu, '').replaceAll('ς', 'σ') : folded
}

const ASCII_WORD = /^[ -~]*$/

/** Keeps the longest part of a word with apostrophes: “Anne’s” → anne, “l’avion” → avion. */
function withoutElision(word: string): string {
  const parts = word.split("'")
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest)) || word
}

/** The terms of a text in their order, with repetitions and without stop words. */
export const termsOf = (text: string, language: Language): string[] =>
  splitWords(text)
    .map((word) => termOf(word, language))
    .filter(({ stop }) => !stop)
    .map(({ text }) => text)
