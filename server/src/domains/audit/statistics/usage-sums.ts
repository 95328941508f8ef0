/**
 * Sums of requests, by column of the counts. A request counts for its last attempt; tokens, cost and time count for the attempt that used
 * them. cost: null if no attempt had one.
 */
export interface UsageSums {
  requests: number
  errors: number
  input_tokens: number
  cached_tokens: number
  output_tokens: number
  reasoning_tokens: number
  cost: number | null
  duration_ms: number
  provider_ms: number
}

/** Requests by bucket of their duration: of the whole request, of the gateway alone, of the providers. null: there are none. */
export interface DurationSums {
  total_durations: number[] | null
  gateway_durations: number[] | null
  provider_durations: number[] | null
}

export const noUsageSums = (): UsageSums => ({
  requests: 0,
  errors: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost: null,
  duration_ms: 0,
  provider_ms: 0,
})

export const noDurationSums = (): DurationSums => ({ total_durations: null, gateway_durations: null, provider_durations: null })

export function addUsage(to: UsageSums, from: Readonly<UsageSums>): void {
  to.requests += from.requests
  to.errors += from.errors
  to.input_tokens += from.input_tokens
  to.cached_tokens += from.cached_tokens
  to.output_tokens += from.output_tokens
  to.reasoning_tokens += from.reasoning_tokens
  if (from.cost !== null) to.cost = (to.cost ?? 0) + from.cost
  to.duration_ms += from.duration_ms
  to.provider_ms += from.provider_ms
}

export function addDurations(to: DurationSums, from: Readonly<DurationSums>): void {
  for (const part of ['total_durations', 'gateway_durations', 'provider_durations'] as const) {
    for (const [index, count] of from[part]?.entries() ?? []) addTo(to, part, index, count)
  }
}

export function addDuration(to: DurationSums, part: keyof DurationSums, ms: number): void {
  addTo(to, part, bucketIndexOf(ms), 1)
}

function addTo(to: DurationSums, part: keyof DurationSums, index: number, count: number): void {
  const counts = to[part] ?? []
  while (counts.length <= index) counts.push(0)
  counts[index] = (counts[index] ?? 0) + count
  to[part] = counts
}

/** Buckets per factor e: a bucket is 10.5 % wide, so a percentile from its middle is at most 5 % off. */
const PER_E = 10
const SHORTEST_MS = 0.1
/** Bucket of the first count of a list, which holds SHORTEST_MS (migration 0007). */
const SHORTEST_BUCKET = -24

/** Place of a duration in a list of counts: bucket n holds durations from e^(n / 10) milliseconds on. */
const bucketIndexOf = (ms: number): number => Math.floor(Math.log(Math.max(ms, SHORTEST_MS)) * PER_E) - SHORTEST_BUCKET

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
