import { BLOCK_ENTRIES, type BlockPlace, blockOf, frequencyOf, lengthOf, type PostingRow, placeOf } from './posting.ts'

/** BM25 parameters: saturation of term frequency, and normalisation by text length. */
export const K1 = 1.5
export const B = 0.6

/** The maximum that a term adds to a score if `matches` of `entries` contain it. Never negative. */
export const termWeight = (matches: number, entries: number): number =>
  (K1 + 1) * Math.log1p((entries - matches + 0.5) / (matches + 0.5))

/** Adds the scores of these postings to `scores`, which has an element for each entry of the block. */
function addScores(scores: Float64Array, postings: Uint32Array, weight: number, averageLength: number): void {
  const base = K1 * (1 - B)
  const perLength = (K1 * B) / averageLength
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at] as number
    const [place, frequency] = [placeOf(posting), frequencyOf(posting)]
    scores[place] = (scores[place] as number) + (weight * frequency) / (frequency + base + perLength * lengthOf(posting))
  }
}

export interface Candidate {
  readonly partition: number
  readonly number: number
  readonly score: number
}

/** The scores of entries by block. The order of rows of one word does not matter. */
export class Scoreboard {
  readonly #blocks = new Map<string, { readonly place: BlockPlace; readonly scores: Float64Array }>()

  /** Call it once for each word, always in the same order of words, because sums of doubles depend on the order. */
  add(rows: readonly PostingRow[], weight: number, averageLength: number): void {
    for (const row of rows) {
      const key = keyOf(row)
      let block = this.#blocks.get(key)
      if (!block) {
        block = { place: { partition: row.partition, block: row.block }, scores: new Float64Array(BLOCK_ENTRIES) }
        this.#blocks.set(key, block)
      }
      addScores(block.scores, row.postings, weight, averageLength)
    }
  }

  scoreOf(partition: number, number: number): number {
    const block = this.#blocks.get(keyOf({ partition, block: blockOf(number) }))
    return block?.scores[number % BLOCK_ENTRIES] ?? 0
  }

  has(partition: number, number: number): boolean {
    return this.scoreOf(partition, number) > 0
  }

  /**
   * The best `count` entries that `isEligible` accepts, and those with the same score as the last of them, unordered. Creates objects
   * only for these entries, because most entries are not among the best.
   */
  best(count: number, isEligible: (partition: number, number: number) => boolean): Candidate[] {
    const least = count === Number.POSITIVE_INFINITY ? 0 : this.#scoreAt(count, isEligible)
    const candidates: Candidate[] = []
    this.#each(least, (partition, number, score) => {
      if (score >= least && isEligible(partition, number)) candidates.push({ partition, number, score })
    })
    return candidates
  }

  /** The `count`-th best score; 0 if there are fewer. */
  #scoreAt(count: number, isEligible: (partition: number, number: number) => boolean): number {
    const best: number[] = []
    let least = 0
    // Sorting only when there are twice as many as needed is cheaper than keeping them sorted.
    const cut = () => {
      best.sort((a, b) => b - a)
      best.length = Math.min(best.length, count)
      if (best.length === count) least = best[count - 1] ?? 0
    }
    this.#each(0, (partition, number, score) => {
      if (score < least || !isEligible(partition, number)) return
      best.push(score)
      if (best.length >= 2 * count) cut()
    })
    cut()
    return best.length < count ? 0 : least
  }

  #each(least: number, visit: (partition: number, number: number, score: number) => void): void {
    for (const { place, scores } of this.#blocks.values()) {
      for (let index = 0; index < scores.length; index++) {
        const score = scores[index] as number
        if (score > 0 && score >= least) visit(place.partition, place.block * BLOCK_ENTRIES + index, score)
      }
    }
  }
}

const keyOf = ({ partition, block }: BlockPlace): string => `${partition}/${block}`

/** Splits candidates into the best `count`, with those of the same score as the last of them, and the others. */
export function splitBest(candidates: readonly Candidate[], count: number): [best: Candidate[], others: Candidate[]] {
  if (candidates.length <= count) return [[...candidates], []]
  const scores = Float64Array.from(candidates, ({ score }) => score).sort()
  const least = scores[scores.length - count] ?? 0
  const [best, others]: [Candidate[], Candidate[]] = [[], []]
  for (const candidate of candidates) (candidate.score >= least ? best : others).push(candidate)
  return [best, others]
}
