import { B, K1 } from '../../server/src/domains/retrieval/scoreboard.ts'
import type { ZipfChunk } from './zipf-chunks.ts'

/** Exact BM25 score of every chunk for a query of distinct terms, by chunk index. */
export function exactScores(chunks: readonly ZipfChunk[], query: readonly number[]): Float64Array {
  const frequencies = query.map((term) => Int32Array.from(chunks, ({ terms }) => occurrences(terms, term)))
  const average = chunks.reduce((sum, { terms }) => sum + terms.length, 0) / chunks.length
  const scores = new Float64Array(chunks.length)
  for (const frequencyOfChunks of frequencies) {
    const found = frequencyOfChunks.reduce((sum, frequency) => sum + Math.min(frequency, 1), 0)
    const idf = Math.log(1 + (chunks.length - found + 0.5) / (found + 0.5))
    chunks.forEach(({ terms }, at) => {
      const frequency = frequencyOfChunks[at] ?? 0
      const norm = K1 * (1 - B + (B * terms.length) / average)
      scores[at] = (scores[at] ?? 0) + (idf * frequency * (K1 + 1)) / (frequency + norm)
    })
  }
  return scores
}

function occurrences(terms: Int32Array, wanted: number): number {
  let count = 0
  for (const term of terms) if (term === wanted) count++
  return count
}

/** Recall of the best `count` chunks. A chunk with the same score as the last of them counts too. */
export function recallOf(scores: Float64Array, found: readonly number[], count: number): number {
  const sorted = scores.toSorted().reverse()
  const wanted = Math.min(count, sorted.findLastIndex((score) => score > 0) + 1)
  const least = (sorted[wanted - 1] ?? 0) * (1 - 1e-9)
  return wanted === 0 ? 1 : found.slice(0, count).filter((at) => (scores[at] ?? 0) >= least).length / wanted
}
