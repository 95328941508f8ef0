/** Letters and digits, and what joins them inside a name or a number. */
const COMPOUND = /[\p{L}\p{N}\p{M}]+(?:[-_.:/@'’][\p{L}\p{N}\p{M}]+)*/gu
const PART = /[\p{L}\p{N}\p{M}]+/gu
const MAX_WORD = 64

/** The words of a text in its order. Identifiers are there whole and in parts. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  for (const [compound] of text.normalize('NFKC').matchAll(COMPOUND)) {
    const parts = compound.match(PART) ?? []
    for (const part of parts) words.push(part.slice(0, MAX_WORD))
    if (parts.length > 1 && /[\p{N}_]/u.test(compound)) words.push(compound.slice(0, MAX_WORD))
  }
  return words
}
