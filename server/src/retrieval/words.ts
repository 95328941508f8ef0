import { normalize } from '../lib/normalize.ts'

/** Letters and digits, and what joins them inside a name or a number. An apostrophe belongs to its word. */
const COMPOUND = /[\p{L}\p{N}\p{M}]+(?:[-_.:/@+'’]+[\p{L}\p{N}\p{M}]+)*/gu
const PART = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*/gu
/** Joined like a name in code, an order number, a version: looked up as a whole too. */
const IDENTIFIER = /[\p{N}_:/@]|\.\p{L}/u
/** Where a part of CamelCase ends, HTTPServer included. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Scripts without spaces: pairs of neighbours stand for words, and each Chinese character for itself as well. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const HAN = /\p{Script=Han}/u
const ASCII = /^[\x20-\x7e\s]*$/
const MAX_WORD = 64

/** The words of a text in its order, as they are written. Identifiers are there whole and in parts. */
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

/** No half of a character beyond the first plane stays at the end. */
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
