import { POSTING_BYTES } from './postings.ts'

/** How soon further occurrences of a term stop to matter, and how much a long text is held to be diluted. */
export const K1 = 1.5
export const B = 0.6

/** The most that a term can add to a score, when `found` of `entries` have it. Never negative. */
export const weightOf = (found: number, entries: number): number => (K1 + 1) * Math.log1p((entries - found + 0.5) / (found + 0.5))

/** Adds to `scores`, a place for each entry of the block, what these postings are worth. */
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
