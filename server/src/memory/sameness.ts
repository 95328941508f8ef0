import { normalize } from '../lib/normalize.ts'

/**
 * The text by which the same memory is known again: whatever its case, its white space, its way of writing a character and the
 * punctuation around it.
 */
export function normalised(content: string): string {
  const text = normalize(content, 'NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
  const opened = text.replace(OPENING, '')
  let end = opened.length
  while (end > 0 && CLOSING.has(opened.charAt(end - 1))) end--
  return opened.slice(0, end) || text
}

/** What stands around a statement and is no part of it. A `-5`, a `10 %`, a `c#`, a `.env` and a question keep their signs. */
const OPENING = /^(?:["'“”„‘’«»‹›([{\s]|[-–—•*]\s)+/u
const CLOSING: ReadonlySet<string> = new Set('.,;:!…"\'“”‘’«»‹›)]} ')

/** Words that a statement says the same without. Never a negation, a pronoun or a preposition: those say something. */
const EMPTY = new Set(
  [
    ['a', 'an', 'the', 'that', 'please', 'also', 'just', 'really', 'very'],
    ['der', 'das', 'ein', 'eine', 'dass', 'bitte', 'auch'],
    ['le', 'la', 'les', 'un', 'une', 'que', 'aussi'],
  ].flat(),
)

/**
 * What near duplicates have in common: the words in their order, without empty ones and without what separates them. Two texts that
 * differ in a name, a number, a date or a “not” are never near: a missed duplicate costs a row, a false one loses what was said.
 * Signs that belong to a word or a number (`c++`, `-5`, `3.5`, `10 %`, `a_b`) stay.
 */
export function skeleton(content: string): string {
  const text = normalised(content).replace(/[’‘`´]/g, "'")
  const words =
    text.match(/[.+\-−$€£#@]{0,3}[\p{L}\p{M}\p{N}]+(?:[.,:'/_@+#-]{1,3}[\p{L}\p{M}\p{N}]+)*[+#]*|\p{S}|[?%&*/=-]/gu) ?? []
  const telling = words.filter((word) => !EMPTY.has(word))
  return telling.length === 0 ? text : telling.join(' ')
}
