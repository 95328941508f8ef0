import { CLASSIFICATION_WORDS, RISK_WORDS } from './variables.ts'

/** Name of the scale that contains `word`; undefined: none. No word is on both scales. */
export const scaleOf = (word: string): string | undefined =>
  [CLASSIFICATION_WORDS, RISK_WORDS].find(({ values }) => values.includes(word))?.name

/** `rank("confidential")`: position of a classification or risk level on its scale; the lowest is 0. Throws a RangeError for other words. */
export function rankOf(word: string): number {
  for (const { values } of [CLASSIFICATION_WORDS, RISK_WORDS]) {
    const rank = values.indexOf(word)
    if (rank >= 0) return rank
  }
  throw new RangeError('neither a classification nor a risk level')
}
