import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { type Dimension, fromUuidOrText, toUuidOrText } from './dimension-values.ts'
import { among, piecesOf, placeOf, type UsageQuery } from './usage-query.ts'
import { keptFromOf } from './usage-source.ts'
import { floorTo, HOUR_MS } from './usage-spans.ts'
import { durationQuantile } from './usage-sums.ts'

type Part = 'total' | 'gateway' | 'provider'
type Timed = Exclude<Dimension, 'user' | 'key'> | 'all'

interface Percentiles {
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** Durations of the whole requests, of the gateway alone and of the providers; at most 5 % off. null: there were none. */
export type Latency = Readonly<Record<Part, Percentiles>>

/** Requests by bucket of their duration. */
interface Row extends Partial<Readonly<Record<Part, readonly number[] | null>>> {
  readonly value: string
}

const DAY_SECONDS = 86_400
const PARTS: readonly Part[] = ['total', 'gateway', 'provider']

/** Percentiles of the hours that contain the time. undefined: the filters have no percentiles, only averages. */
export async function readLatency(db: Db, query: UsageQuery): Promise<Latency | undefined> {
  const place = timedPlaceOf(query)
  if (!place) return undefined
  const rows = await readRows(db, query, { ...place, group: sql`''`, parts: PARTS, longest: 'week' })
  return latencyOf(rows[0])
}

/** Percentiles of each group. undefined: this grouping, or the filters, have none. */
export async function readGroupLatencies(
  db: Db,
  query: UsageQuery,
  dimension: Dimension,
  values: readonly string[],
): Promise<ReadonlyMap<string, Latency> | undefined> {
  const place = timedPlaceOf(query)
  const isFiltered = place?.dimension !== 'all' && place?.dimension !== dimension
  if (!place || isFiltered || !isTimed(dimension)) return undefined
  const known = values.map((value) => toUuidOrText(dimension, value))
  const rows = await readRows(db, query, { dimension, values: known, group: sql`value`, parts: PARTS, longest: 'week' })
  return new Map(rows.map((row) => [fromUuidOrText(dimension, row.value), latencyOf(row)]))
}

/** Percentiles of the whole requests in each interval of whole hours, by its start in milliseconds. */
export async function readLatencyIntervals(
  db: Db,
  query: UsageQuery,
  seconds: number,
): Promise<ReadonlyMap<number, Percentiles>> {
  const place = timedPlaceOf(query)
  if (!place || seconds * 1_000 < HOUR_MS) return new Map()
  const start = sql`extract(epoch from date_bin(make_interval(secs => ${sql.lit(seconds)}), at, timestamptz 'epoch'))::text`
  const longest = seconds % DAY_SECONDS === 0 ? 'day' : 'hour'
  const rows = await readRows(db, query, { ...place, group: start, parts: ['total'], longest })
  return new Map(rows.map((row) => [Number(row.value) * 1_000, latencyOf(row).total]))
}

/** The one value that the filters select; undefined if they are several, or have no durations. */
function timedPlaceOf(query: UsageQuery) {
  const place = placeOf(query)
  if (!place || !isTimed(place.dimension)) return undefined
  return { dimension: place.dimension, values: place.values }
}

const isTimed = (dimension: Dimension | 'all'): dimension is Timed => dimension !== 'user' && dimension !== 'key'

interface Wanted {
  readonly dimension: Timed
  readonly values: readonly string[]
  /** SQL for `value` in the result. */
  readonly group: RawBuilder<unknown>
  readonly parts: readonly Part[]
  readonly longest: 'week' | 'day' | 'hour'
}

async function readRows(db: Db, query: UsageQuery, wanted: Wanted): Promise<readonly Row[]> {
  const { dimension, values, group, parts, longest } = wanted
  const hours = { from: floorTo(HOUR_MS, query.from), to: new Date(Math.ceil(query.to.getTime() / HOUR_MS) * HOUR_MS) }
  const pieces = piecesOf(hours, longest, await keptFromOf(db, query.workspaceId)).map(
    ({ span, from, to }) => sql`
      select value, at, ${DURATIONS} from audit_usage_value
      where workspace_id = ${uuidOf('ws', query.workspaceId)} and dimension = ${sql.lit(dimension)} and span = ${sql.lit(span)}
        and at >= ${from} and at < ${to} and ${among(sql`value`, values)}`,
  )
  if (pieces.length === 0) return []
  const { rows } = await sql<Row>`
    select ${group} as value, ${sql.join(parts.map((part) => sql`audit_sum_durations(${sql.ref(`${part}_durations`)})::float8[] as ${sql.ref(part)}`))}
    from (${sql.join(pieces, sql` union all `)}) as counted group by 1`.execute(db)
  return rows
}

const DURATIONS = sql.join(PARTS.map((part) => sql.ref(`${part}_durations`)))

function latencyOf(row: Row | undefined): Latency {
  const of = (part: Part): Percentiles => {
    const counts = row?.[part] ?? []
    return { p50Ms: durationQuantile(counts, 0.5), p95Ms: durationQuantile(counts, 0.95) }
  }
  return Object.fromEntries(PARTS.map((part) => [part, of(part)])) as Latency
}
