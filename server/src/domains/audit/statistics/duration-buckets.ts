/** Buckets per factor e: a bucket is 10.5 % wide, so a percentile from its middle is at most 5 % off. */
const PER_E = 10
const SHORTEST_MS = 0.1
/** Bucket of the first count of a list, which holds SHORTEST_MS (migration 0007). */
const SHORTEST_BUCKET = -24

/** Place of a duration in a list of counts: bucket n holds durations from e^(n / 10) milliseconds on. */
export const bucketIndexOf = (ms: number): number => Math.floor(Math.log(Math.max(ms, SHORTEST_MS)) * PER_E) - SHORTEST_BUCKET

/** Milliseconds in the middle of a bucket. */
const middleOf = (bucket: number): number => Math.exp((bucket + 0.5) / PER_E)

/** Milliseconds below which the share of the requests took; null: there are none. `counts`: requests by bucket, from the shortest on. */
export function durationQuantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.max(1, Math.ceil(total * share))
  const index = counts.findIndex((count) => {
    left -= count
    return left <= 0
  })
  return middleOf(index + SHORTEST_BUCKET)
}
