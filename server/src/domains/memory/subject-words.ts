import { normalize } from '../../platform/lib/normalize.ts'

/** A map, because objects inherit fields such as `constructor`, and a statement may have any word. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['favorite', 'favourite'],
  ['color', 'colour'],
  ['e-mail', 'email'],
  ['time-zone', 'timezone'],
])
/** The owner of the memory is known. “our” is another owner than “my”. */
const OWN = /^(?:the|my)$/i
const BEFORE: ReadonlySet<string> = new Set('"\'“”‘’«»([{')
const AFTER: ReadonlySet<string> = new Set('"\'“”‘’«»)]},;:!.')

/**
 * The words of a phrase that distinguish its subject, in order, with all symbols (C++, -5, 10 %). The first word is in lower case,
 * unless it is in capitals.
 */
export function wordsOf(phrase: string): string[] {
  const words = normalize(phrase, 'NFC')
    .replace(/[’‘]/g, "'")
    .split(/\s+/u)
    .map((word) => withoutPunctuation(word).replace(/'s$/i, ''))
    .filter((word) => /[\p{L}\p{N}\p{S}]/u.test(word))
  return words
    .filter((word, at) => !(at === 0 ? OWN.test(word) : word === 'the'))
    .map((word, at) => {
      const spelt = at > 0 ? word : word === 'I' ? 'i' : foldWord(word)
      return SPELLINGS.get(spelt.toLowerCase()) ?? spelt
    })
}

/** By loops, because a pattern for the end takes quadratic time on a long run of punctuation. */
function withoutPunctuation(word: string): string {
  let [start, end] = [0, word.length]
  while (start < end && BEFORE.has(word.charAt(start))) start++
  while (end > start && AFTER.has(word.charAt(end - 1))) end--
  return word.slice(start, end)
}

/** In lower case, except a word in capitals, which is a name: plan A, US. */
export const foldWord = (word: string): string =>
  /\p{Lu}/u.test(word) && word === word.toUpperCase() ? word : word.toLowerCase()

export const foldWords = (words: string): string => words.split(' ').map(foldWord).join(' ')
