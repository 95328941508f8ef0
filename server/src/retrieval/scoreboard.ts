import { addScores } from './bm25.ts'
import type { BlockPlace, PostingRow } from './posting-source.ts'
import { BLOCK_ENTRIES } from './postings.ts'

/** An entry that may be among the best. */
export interface Candidate {
  readonly partition: number
  readonly number: number
  readonly score: number
}

/** The scores of all entries met so far, block by block. The order in which rows of one word arrive has no influence. */
export class Scoreboard {
  readonly #blocks = new Map<string, { readonly place: BlockPlace; readonly scores: Float64Array }>()

  /** To be called once for each word, always in the same order of words: sums of doubles depend on it. */
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
    const block = this.#blocks.get(keyOf({ partition, block: Math.floor(number / BLOCK_ENTRIES) }))
    return block?.scores[number % BLOCK_ENTRIES] ?? 0
  }

  has(partition: number, number: number): boolean {
    return this.scoreOf(partition, number) > 0
  }

  /**
   * The best `count` and whoever has the same score as the last of these, of the entries that `counts` names; in no particular order.
   * Most entries are many and are not wanted: they are compared and never made objects of.
   */
  best(count: number, counts: (partition: number, number: number) => boolean): Candidate[] {
    const least = count === Number.POSITIVE_INFINITY ? 0 : this.#scoreAt(count, counts)
    const found: Candidate[] = []
    this.#each(least, (partition, number, score) => {
      if (score >= least && counts(partition, number)) found.push({ partition, number, score })
    })
    return found
  }

  /** The score that is the `count`-th best; 0 when there are not so many. */
  #scoreAt(count: number, counts: (partition: number, number: number) => boolean): number {
    const best: number[] = []
    let least = 0
    // Kept until there are twice as many as wanted, then the worse half goes: cheaper than to keep them in order.
    const cut = () => {
      best.sort((a, b) => b - a)
      best.length = Math.min(best.length, count)
      if (best.length === count) least = best[count - 1] ?? 0
    }
    this.#each(0, (partition, number, score) => {
      if (score < least || !counts(partition, number)) return
      best.push(score)
      if (best.length >= 2 * count) cut()
    })
    cut()
    return best.length < count ? 0 : least
  }

  #each(least: number, visit: (partition: number, number: number, score: number) => void): void {
    for (const { place, scores } of this.#blocks.values()) {
      for (let at = 0; at < scores.length; at++) {
        const score = scores[at] as number
        if (score > 0 && score >= least) visit(place.partition, place.block * BLOCK_ENTRIES + at, score)
      }
    }
  }
}

const keyOf = ({ partition, block }: BlockPlace): string => `${partition}/${block}`

/** The best `count` of them and whoever has the same score as the last of these, and the others. */
export function splitBest(candidates: readonly Candidate[], count: number): [best: Candidate[], others: Candidate[]] {
  if (candidates.length <= count) return [[...candidates], []]
  const scores = Float64Array.from(candidates, ({ score }) => score).sort()
  const least = scores[scores.length - count] ?? 0
  const [best, others]: [Candidate[], Candidate[]] = [[], []]
  for (const candidate of candidates) (candidate.score >= least ? best : others).push(candidate)
  return [best, others]
}
