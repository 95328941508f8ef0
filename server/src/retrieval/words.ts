import { normalize } from '../lib/normalize.ts'

/** Letters and digits with the characters that join them in names and numbers. An apostrophe belongs to its word. */
const COMPOUND = /[\p{L}\p{N}\p{M}]+(?:[-_.:/@+'’]+[\p{L}\p{N}\p{M}]+)*/gu
const PART = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*/gu
/** Compounds such as names in code, order numbers and versions are also indexed as a whole. */
const IDENTIFIER = /[\p{N}_:/@]|\.\p{L}/u
/** The boundaries of CamelCase parts, also in HTTPServer. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Scripts without spaces are indexed by pairs of adjacent characters, and Chinese also by single characters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const HAN = /\p{Script=Han}/u
const ASCII = /^[\x20-\x7e\s]*$/
const MAX_WORD = 64

/** The words of a text in their order and spelling. Identifiers are included as a whole and in parts. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  const add = (word: string): void => {
    words.push(word.length > MAX_WORD ? cut(word) : word)
  }
  const unspaced = !ASCII.test(text) && UNSPACED.test(text)
  for (const [compound] of normalize(text, 'NFKC').matchAll(COMPOUND)) {
    const parts = compound.match(PART) ?? []
    for (const part of parts) {
      if (unspaced && UNSPACED.test(part)) for (const piece of pairs(part)) add(piece)
      else if (HUMP.test(part)) for (const piece of [part, ...part.split(HUMP)]) add(piece)
      else add(part)
    }
    if (parts.length > 1 && IDENTIFIER.test(compound)) add(compound)
  }
  return words
}

/** Cuts a long word without leaving half of a surrogate pair. */
const cut = (word: string): string =>
  word
    .slice(0, MAX_WORD)
    .toWellFormed()
    .replace(/\ufffd$/, '')

function pairs(part: string): string[] {
  const letters = [...part]
  if (letters.length === 1) return letters
  return letters.flatMap((letter, at) => [
    ...(HAN.test(letter) ? [letter] : []),
    ...(at + 1 < letters.length ? [`${letter}${letters[at + 1]}`] : []),
  ])
}
