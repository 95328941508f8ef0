export interface Ranked {
  /** The entry's UUID. */
  readonly id: string
  /** 0 to 1. */
  readonly similarity: number
}

/** The hits of one ranker, best first, without duplicates. */
export interface Ranking {
  readonly hits: readonly Ranked[]
  readonly weight: number
}

/** The constant k of reciprocal-rank fusion; 60 as in Cormack, Clarke, Büttcher 2009. */
const RANK_CONSTANT = 60
/** Rankings are fused in windows of this many places, so that a greater depth only appends results. */
export const WINDOW = 100

/** The number of places of each ranking that `fuse` needs for its first `depth` results. */
export const placesFor = (depth: number): number => Math.ceil(depth / WINDOW) * WINDOW

/**
 * Weighted reciprocal-rank fusion: an entry's score is the sum of weight ÷ (60 + place) over the rankings that contain it; ties are
 * ordered by id. An entry belongs to the first window in which a ranking contains it. Its `similarity` is the greatest of the
 * rankings in that window, so it is in 0 to 1 but not always in descending order.
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
        const score = (known?.score ?? 0) + weight / (RANK_CONSTANT + 1 + start + place)
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
