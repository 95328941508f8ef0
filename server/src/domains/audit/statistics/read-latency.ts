import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { among, keptFromOf, piecesOf, placeOf, type UsageQuery } from './usage-query.ts'
import { ceilTo, DAY_MS, floorTo, HOUR_MS, intervalStart, type Span } from './usage-spans.ts'
import { type Dimension, DURATION_COLUMNS, durationQuantile, fromUuidOrText, type Grouping, toUuidOrText } from './usage-sums.ts'

const PARTS = ['total', 'gateway', 'provider'] as const
type Part = (typeof PARTS)[number]

interface Percentiles {
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** Durations of the whole requests, of the gateway alone and of the providers; at most 5 % off. null: there were none. */
export type Latency = Readonly<Record<Part, Percentiles>>

interface Row extends Partial<Readonly<Record<Part, readonly number[] | null>>> {
  readonly value: string
}

/** Percentiles of the hours that contain the time. undefined: the filters have no percentiles, only averages. */
export async function readLatency(db: Db, query: UsageQuery): Promise<Latency | undefined> {
  const place = timedPlaceOf(query)
  return place && latencyOf((await readRows(db, query, place))[0])
}

export async function readGroupLatencies(
  db: Db,
  query: UsageQuery,
  dimension: Grouping,
  values: readonly string[],
): Promise<ReadonlyMap<string, Latency> | undefined> {
  const place = timedPlaceOf(query)
  const isFiltered = place?.dimension !== 'all' && place?.dimension !== dimension
  if (!place || isFiltered || !isTimed(dimension)) return undefined
  const known = values.map((value) => toUuidOrText(dimension, value))
  const rows = await readRows(db, query, { dimension, values: known, group: sql`value` })
  return new Map(rows.map((row) => [fromUuidOrText(dimension, row.value), latencyOf(row)]))
}

/** Percentiles of the whole requests in each interval of whole hours, by its start in milliseconds. */
export async function readLatencyIntervals(
  db: Db,
  query: UsageQuery,
  seconds: number,
): Promise<ReadonlyMap<number, Percentiles>> {
  const place = timedPlaceOf(query)
  const ms = seconds * 1_000
  if (!place || ms < HOUR_MS) return new Map()
  const group = sql`extract(epoch from ${intervalStart(seconds)})::text`
  const rows = await readRows(db, query, { ...place, group, parts: ['total'], longest: ms % DAY_MS === 0 ? 'day' : 'hour' })
  return new Map(rows.map((row) => [Number(row.value) * 1_000, latencyOf(row).total]))
}

/** The one value that the filters select; undefined if they are several, or have no durations. */
function timedPlaceOf(query: UsageQuery) {
  const place = placeOf(query)
  return place && isTimed(place.dimension) ? place : undefined
}

const isTimed = (dimension: Grouping | 'all'): dimension is Exclude<Dimension, 'user' | 'key'> | 'all' =>
  dimension !== 'user' && dimension !== 'key' && dimension !== 'team'

interface Wanted {
  readonly dimension: Dimension | 'all'
  readonly values: readonly string[]
  /** SQL for `value` in the result. Absent: all are one group. */
  readonly group?: RawBuilder<unknown>
  readonly parts?: readonly Part[]
  readonly longest?: Span
}

async function readRows(db: Db, query: UsageQuery, wanted: Wanted): Promise<readonly Row[]> {
  const { dimension, values, group = sql`''`, parts = PARTS, longest = 'week' } = wanted
  const hours = { from: floorTo(HOUR_MS, query.from), to: ceilTo(HOUR_MS, query.to) }
  const pieces = piecesOf(hours, longest, await keptFromOf(db, query.workspaceId)).map(
    ({ span, from, to }) => sql`
      select value, at, ${DURATIONS} from audit_usage_value
      where workspace_id = ${uuidOf('ws', query.workspaceId)} and dimension = ${sql.lit(dimension)} and span = ${sql.lit(span)}
        and at >= ${from} and at < ${to} and ${among(sql`value`, values)}`,
  )
  if (pieces.length === 0) return []
  const sums = parts.map((part) => sql`audit_sum_durations(${sql.ref(`${part}_durations`)})::float8[] as ${sql.ref(part)}`)
  const { rows } = await sql<Row>`
    select ${group} as value, ${sql.join(sums)} from (${sql.join(pieces, sql` union all `)}) as counted group by 1`.execute(db)
  return rows
}

const DURATIONS = sql.join(DURATION_COLUMNS.map((column) => sql.ref(column)))

function latencyOf(row: Row | undefined): Latency {
  const of = (part: Part): Percentiles => {
    const counts = row?.[part] ?? []
    return { p50Ms: durationQuantile(counts, 0.5), p95Ms: durationQuantile(counts, 0.95) }
  }
  return { total: of('total'), gateway: of('gateway'), provider: of('provider') }
}
