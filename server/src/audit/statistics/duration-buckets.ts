import { sql } from 'kysely'

/** Buckets per factor e: a bucket is 10.5 % wide, so a percentile from its middle is at most 5 % off. */
const PER_E = 10
const SHORTEST_MS = 0.1

/** SQL for the bucket of a record: bucket n holds durations from e^(n / 10) milliseconds on. */
export const BUCKET_OF_RECORD = sql<number>`floor(ln(greatest(duration_ms, ${sql.lit(SHORTEST_MS)})) * ${sql.lit(PER_E)})::smallint`

/** Milliseconds in the middle of a bucket. */
const middleOf = (bucket: number): number => Math.exp((bucket + 0.5) / PER_E)

/** Requests by bucket. */
export type DurationCounts = ReadonlyMap<number, number>

/** Milliseconds below which the share of the requests took; null: there are none. */
export function durationQuantile(counts: DurationCounts, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.max(1, Math.ceil(total * share))
  for (const bucket of [...counts.keys()].toSorted((a, b) => a - b)) {
    left -= counts.get(bucket) ?? 0
    if (left <= 0) return middleOf(bucket)
  }
  return null
}
