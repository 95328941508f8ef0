import { normalize } from '../../platform/lib/normalize.ts'

/**
 * Normalises a text to recognise equal memories: ignores white space, encodings of the same character, punctuation around it, and the
 * case of its first word or of a text in capitals. Other capitals distinguish names (US and us, Polish and polish), and
 * compatibility forms distinguish numbers (10⁶ and 106).
 */
export function normalizeContent(content: string): string {
  const text = normalize(content, 'NFC').replace(/\s+/gu, ' ').trim()
  const opened = text.replace(OPENING, '')
  let end = opened.length
  while (end > 0 && CLOSING.has(opened.charAt(end - 1)) && !isUnit(opened, end - 1)) end-- // 27" and 6' are lengths.
  return withoutInitial(opened.slice(0, end) || text)
}

/** Punctuation around a statement. `-5`, `10 %`, `c#`, `.env` and questions keep their symbols. */
const OPENING = /^(?:["'“”„‘’«»‹›([{\s]|[-–—•*]\s(?!\s*\p{N}))+/u
const CLOSING: ReadonlySet<string> = new Set('.,;:!…"\'“”‘’«»‹›)]} ')

const isUnit = (text: string, at: number): boolean => /["'”’]/.test(text.charAt(at)) && /\p{N}/u.test(text.charAt(at - 1))

const withoutInitial = (text: string): string =>
  /\p{Ll}/u.test(text) ? text.replace(/^\p{Lu}(?=[\p{Ll}\p{M}'’ ])/u, (initial) => initial.toLowerCase()) : text.toLowerCase()

/** The only words that never change the meaning of a statement. Other articles do: plan A, der and die See, le and la livre. */
const FILLER_WORDS = /(?<=^|\s)(?:the|please)(?=\s)\s/g

/** The text that near duplicates share, without filler words only: a missed duplicate costs a row, a false one loses information. */
export const signatureText = (content: string): string => {
  const text = normalizeContent(content)
  return normalizeContent(text.replace(FILLER_WORDS, '').replace(/[’‘`´]/g, "'")) || text
}
