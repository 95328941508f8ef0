import { LOOK_ALIKES } from '../../../../platform/lib/look-alikes.ts'

/** Folded values of UTF-16 units that are not letters. Letters fold to greater values. */
export const SEPARATOR = 0
export const IGNORED = 1
export const SENTENCE_END = 2
export const COLON = 3
/** A full stop or line feed. The next character decides whether it ends a sentence. */
export const POSSIBLE_END = 4

export const UNKNOWN = 0xffff

/** Letters that resemble Latin letters less, in addition to those of platform/lib/look-alikes.ts. */
const SIMILAR: Readonly<Record<string, string>> = { ё: 'e', ї: 'i', η: 'n', ω: 'w', ß: 's', ø: 'o', đ: 'd', ł: 'i' }

/** One letter for each set of characters that leetspeak and fonts confuse: `1` and `l` are `i`, `0` is `o`, `$` is `s`. */
const CONFUSED: Readonly<Record<string, string>> = { l: 'i', 1: 'i', 0: 'o', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' }

const FULL_STOPS = new Set([...'!?;。！？；…'])
const IS_LETTER = /[\p{L}\p{N}@$]/u
const IS_MARK = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0]/u

function fold(character: string): number {
  if (character === '.' || character === '\n') return POSSIBLE_END
  if (character === ':' || character === '：') return COLON
  if (FULL_STOPS.has(character)) return SENTENCE_END
  if (IS_MARK.test(character)) return IGNORED
  const base = [...character.normalize('NFKD')][0]?.toLowerCase() ?? ''
  if (!IS_LETTER.test(base)) return SEPARATOR
  const latin = SIMILAR[base] ?? LOOK_ALIKES.get(base) ?? base
  return (CONFUSED[latin] ?? latin).charCodeAt(0)
}

/** Folded value by unit; UNKNOWN until the unit first occurs. Surrogates stay UNKNOWN, because their value depends on the pair. */
export const FOLDED = new Uint16Array(0x10000).fill(UNKNOWN)
/** Folded values of U+10000 to U+1FFFF by their lower 16 bits: mathematical letters, emoji. */
const FOLDED_PAIRS = new Uint16Array(0x10000).fill(UNKNOWN)

/** Value of all letters beyond U+1FFFF. They are ideographs, which do not occur in the lexicon. */
const SOME_LETTER = 0x4e00

function foldPair(codePoint: number): number {
  if (codePoint >= 0xe0000) return IGNORED
  if (codePoint >= 0x20000) return SOME_LETTER
  const index = codePoint & 0xffff
  let folded = FOLDED_PAIRS[index] as number
  if (folded === UNKNOWN) {
    folded = fold(String.fromCodePoint(codePoint))
    FOLDED_PAIRS[index] = folded
  }
  return folded
}

/** For a unit that is UNKNOWN. A surrogate pair folds at its first unit; a lone surrogate is a separator. */
export function foldUnknown(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit >= 0xd800 && unit < 0xdc00) {
    const codePoint = text.codePointAt(at) as number
    return codePoint > 0xffff ? foldPair(codePoint) : SEPARATOR
  }
  const folded = unit >= 0xdc00 && unit < 0xe000 ? IGNORED : fold(String.fromCharCode(unit))
  FOLDED[unit] = folded
  return folded
}

export function foldAt(text: string, at: number): number {
  const folded = FOLDED[text.charCodeAt(at)] ?? UNKNOWN
  return folded === UNKNOWN ? foldUnknown(text, at) : folded
}

export function foldWord(word: string): string {
  let folded = ''
  for (let at = 0; at < word.length; at++) {
    const unit = foldAt(word, at)
    if (unit > POSSIBLE_END) folded += String.fromCharCode(unit)
  }
  return folded
}

/** FNV-1a, 32 bits (signed), over folded units. */
export const HASH_START = 0x11c9dc5
export const hashStep = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193) & 0x3fffffff

export function hashWord(folded: string): number {
  let hash = HASH_START
  for (let i = 0; i < folded.length; i++) hash = hashStep(hash, folded.charCodeAt(i))
  return hash
}
