import type { Ranked } from './ranked.ts'

/** One opinion on what fits: best first, no entry twice. */
export interface Ranking {
  readonly hits: readonly Ranked[]
  readonly weight: number
}

/** How little the first places differ: 60 is what the method's authors chose (Cormack, Clarke, Büttcher 2009). */
const FLATNESS = 60
/** Rankings are fused in windows of so many places, so that asking for more only ever adds at the end. */
export const WINDOW = 100

/** How many places of each ranking `fuse` needs to know for its first `depth` results. */
export const placesFor = (depth: number): number => Math.ceil(depth / WINDOW) * WINDOW

/**
 * Weighted reciprocal-rank fusion: an entry's score is the sum of weight ÷ (60 + place) over the rankings that have it; ties
 * by id. An entry comes with the first window in which some ranking has it. Its `similarity` is the greatest that a ranking
 * of that window gives it, so it lies in 0 to 1 but need not fall with the order.
 */
export function fuse(rankings: readonly Ranking[], depth: number): readonly Ranked[] {
  const fused: Ranked[] = []
  const seen = new Set<string>()
  const longest = Math.max(0, ...rankings.map(({ hits }) => hits.length))
  for (let start = 0; start < longest && fused.length < depth; start += WINDOW) {
    const scored = new Map<string, { id: string; similarity: number; score: number }>()
    for (const { hits, weight } of rankings) {
      hits.slice(start, start + WINDOW).forEach(({ id, similarity }, place) => {
        if (seen.has(id)) return
        const known = scored.get(id)
        const score = (known?.score ?? 0) + weight / (FLATNESS + 1 + start + place)
        scored.set(id, { id, similarity: Math.max(known?.similarity ?? 0, similarity), score })
      })
    }
    for (const { id, similarity } of [...scored.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))) {
      seen.add(id)
      fused.push({ id, similarity })
    }
  }
  return fused.slice(0, depth)
}
