import { CLASSIFICATION_WORDS, RISK_WORDS } from './variables.ts'

/** The scale that a word belongs to. No word is on both. */
export const scaleOf = (word: string): string | undefined =>
  [CLASSIFICATION_WORDS, RISK_WORDS].find(({ values }) => values.includes(word))?.name

/** `rank("confidential")`: the place of a classification or risk level among its kind, mildest 0. Throws on any other word. */
export function rankOf(word: string): number {
  for (const { values } of [CLASSIFICATION_WORDS, RISK_WORDS]) {
    const rank = values.indexOf(word)
    if (rank >= 0) return rank
  }
  throw new RangeError('neither a classification nor a risk level')
}
