import { POSTING_BYTES } from './postings.ts'

/** BM25 parameters: saturation of term frequency, and normalisation by text length. */
export const K1 = 1.5
export const B = 0.6

/** The maximum that a term adds to a score if `matches` of `entries` contain it. Never negative. */
export const termWeight = (matches: number, entries: number): number =>
  (K1 + 1) * Math.log1p((entries - matches + 0.5) / (matches + 0.5))

/** Adds the scores of these postings to `scores`, which has an element for each entry of the block. */
export function addScores(scores: Float64Array, postings: Buffer, weight: number, averageLength: number): void {
  const base = K1 * (1 - B)
  const perLength = (K1 * B) / averageLength
  for (let at = 0; at < postings.length; at += POSTING_BYTES) {
    const place = postings[at] as number
    const frequency = postings[at + 1] as number
    const length = (postings[at + 2] as number) + ((postings[at + 3] as number) << 8)
    scores[place] = (scores[place] as number) + (weight * frequency) / (frequency + base + perLength * length)
  }
}
