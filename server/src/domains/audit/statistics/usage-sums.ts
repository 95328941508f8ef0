import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { Verdict } from '../../../shared/decision.ts'
import { OUTCOMES, type RequestOutcome } from '../../../shared/request-outcome.ts'

/** Stands in the counts for requests without an Application: messages. */
export const NO_APPLICATION = '00000000-0000-0000-0000-000000000000'

/** A request counts for its last attempt; tokens, cost and time for the attempt that used them. `cost`: null if no attempt had one. */
export const SUM_TYPES = {
  requests: 'bigint',
  errors: 'bigint',
  input_tokens: 'bigint',
  /** Part of `input_tokens` that providers read from their caches. */
  cached_tokens: 'bigint',
  output_tokens: 'bigint',
  /** Part of `output_tokens`. */
  reasoning_tokens: 'bigint',
  cost: 'double precision',
  duration_ms: 'double precision',
  provider_ms: 'double precision',
  /** Requests by outcome. */
  ...(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 'bigint'])) as Record<RequestOutcome, 'bigint'>),
} as const
type SumColumn = keyof typeof SUM_TYPES

export const SUM_COLUMNS = Object.keys(SUM_TYPES) as SumColumn[]
export const isNumber = (column: SumColumn): column is Exclude<SumColumn, 'cost'> => column !== 'cost'
const NUMBERS = SUM_COLUMNS.filter(isNumber)

export interface UsageSums extends Record<Exclude<SumColumn, 'cost'>, number> {
  cost: number | null
}

/** In the counts by one property, verdicts are columns. */
export const VERDICT_TYPES = {
  allow: 'bigint',
  escalate: 'bigint',
  require_approval: 'bigint',
  deny: 'bigint',
} as const satisfies Record<Verdict, string>

/** Requests by bucket of their duration: of the whole request, of the gateway alone, of the providers. */
export const DURATION_COLUMNS = ['total_durations', 'gateway_durations', 'provider_durations'] as const
type DurationColumn = (typeof DURATION_COLUMNS)[number]
/** null: there are none. */
export type DurationSums = Record<DurationColumn, number[] | null>

const NO_SUMS = { ...Object.fromEntries(NUMBERS.map((column) => [column, 0])), cost: null } as UsageSums
export const noUsageSums = (): UsageSums => ({ ...NO_SUMS })
export const noDurationSums = (): DurationSums => ({ total_durations: null, gateway_durations: null, provider_durations: null })

export function addUsage(to: UsageSums, from: Readonly<UsageSums>): void {
  for (const column of NUMBERS) to[column] += from[column]
  if (from.cost !== null) to.cost = (to.cost ?? 0) + from.cost
}

export function addDurations(to: DurationSums, from: Readonly<DurationSums>): void {
  for (const column of DURATION_COLUMNS) {
    for (const [index, count] of from[column]?.entries() ?? []) addTo(to, column, index, count)
  }
}

export const addDuration = (to: DurationSums, column: DurationColumn, ms: number): void => addTo(to, column, bucketIndexOf(ms), 1)

function addTo(to: DurationSums, column: DurationColumn, index: number, count: number): void {
  to[column] ??= []
  const counts = to[column]
  while (counts.length <= index) counts.push(0)
  counts[index] = (counts[index] ?? 0) + count
}

/** Buckets per factor e: a bucket is 10.5 % wide, so a percentile from its middle is at most 5 % off. */
const PER_E = 10
const SHORTEST_MS = 0.1
/** Bucket of the first count of a list, which holds SHORTEST_MS (migration 0007). */
const SHORTEST_BUCKET = -24

/** Bucket n holds durations from e^(n / 10) milliseconds on. */
const bucketIndexOf = (ms: number): number => Math.floor(Math.log(Math.max(ms, SHORTEST_MS)) * PER_E) - SHORTEST_BUCKET

/** Milliseconds below which the share of the requests took; null: there are none. `counts`: requests by bucket, from the shortest on. */
export function durationQuantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.max(1, Math.ceil(total * share))
  const index = counts.findIndex((count) => {
    left -= count
    return left <= 0
  })
  return Math.exp((index + SHORTEST_BUCKET + 0.5) / PER_E)
}

export const DIMENSIONS = ['application', 'provider', 'model', 'user', 'key'] as const
export type Dimension = (typeof DIMENSIONS)[number]
/** The team of a key is not counted: a key that joins a team brings its usage along. */
export const GROUPINGS = [...DIMENSIONS, 'team'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** A value of a dimension as the API has it: Applications by their id, an empty text for none. */
export const fromUuidOrText = (dimension: Grouping, value: string): string =>
  dimension !== 'application' ? value : value === NO_APPLICATION ? '' : toId('app', value)

export const toUuidOrText = (dimension: Grouping, value: string): string =>
  dimension !== 'application' ? value : value === '' ? NO_APPLICATION : uuidOf('app', value)
