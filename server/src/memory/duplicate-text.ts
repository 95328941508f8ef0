import { normalize } from '../lib/normalize.ts'

/**
 * Normalises a text to recognise equal memories: ignores case, white space, character encoding forms and surrounding punctuation.
 */
export function normalizeContent(content: string): string {
  const text = normalize(content, 'NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
  const opened = text.replace(OPENING, '')
  let end = opened.length
  while (end > 0 && CLOSING.has(opened.charAt(end - 1))) end--
  return opened.slice(0, end) || text
}

/** Punctuation around a statement. `-5`, `10 %`, `c#`, `.env` and questions keep their symbols. */
const OPENING = /^(?:["'“”„‘’«»‹›([{\s]|[-–—•*]\s)+/u
const CLOSING: ReadonlySet<string> = new Set('.,;:!…"\'“”‘’«»‹›)]} ')

/** Words that do not change the meaning of a statement. Contains no negation, pronoun or preposition. */
const FILLER_WORDS = new Set(
  [
    ['a', 'an', 'the', 'that', 'please', 'also', 'just', 'really', 'very'],
    ['der', 'das', 'ein', 'eine', 'dass', 'bitte', 'auch'],
    ['le', 'la', 'les', 'un', 'une', 'que', 'aussi'],
  ].flat(),
)

/**
 * The text that near duplicates share: the words in order, without filler words and separators. Texts that differ in a name, number,
 * date or “not” are never duplicates: a missed duplicate costs a row, a false one loses information. Symbols that belong to a word or
 * number (`c++`, `-5`, `3.5`, `10 %`, `a_b`) stay.
 */
export function signatureText(content: string): string {
  const text = normalizeContent(content).replace(/[’‘`´]/g, "'")
  const words =
    text.match(/[.+\-−$€£#@]{0,3}[\p{L}\p{M}\p{N}]+(?:[.,:'/_@+#-]{1,3}[\p{L}\p{M}\p{N}]+)*[+#]*|\p{S}|[?%&*/=-]/gu) ?? []
  const significant = words.filter((word) => !FILLER_WORDS.has(word))
  return significant.length === 0 ? text : significant.join(' ')
}
