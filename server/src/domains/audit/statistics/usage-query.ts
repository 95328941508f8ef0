import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { VERDICTS, type Verdict } from '../../../shared/decision.ts'
import { ceilTo, floorTo, HOUR_MS, MINUTES_KEPT_MS, SPAN_MS, type Span, startOfSpan } from './usage-spans.ts'
import { DIMENSIONS, type Dimension, type Grouping, SUM_COLUMNS, toUuidOrText } from './usage-sums.ts'

/** Values of a dimension are ids and names; `user`: keyed hashes. An empty text: the request has none. */
export interface UsageFilter {
  readonly applicationId?: string
  readonly keyIds?: readonly string[]
  readonly provider?: string
  readonly model?: string
  readonly userHashes?: readonly string[]
  readonly verdict?: Verdict
}

export interface UsageQuery extends UsageFilter {
  readonly workspaceId: string
  readonly from: Date
  readonly to: Date
  /** The team of each key that has one. Needed to group by team. */
  readonly teamOfKey?: ReadonlyMap<string, string>
}
type Time = Pick<UsageQuery, 'from' | 'to'>

/** Longest time that is counted to the minute, and read from the counts of all combinations, which have few rows for it. */
const MINUTES_READ_MS = 6 * HOUR_MS
const isShort = ({ from, to }: Time): boolean => to.getTime() - from.getTime() <= MINUTES_READ_MS

/** Whether there are counts of minutes for a time. Those of users have none. */
export const hasMinutes = (time: Time, byUser: boolean, now: Date): boolean =>
  !byUser && isShort(time) && time.from.getTime() > now.getTime() - MINUTES_KEPT_MS + HOUR_MS

/** The time that is counted: outwards to whole minutes, or whole hours. */
export function roundedTime<T extends Time>(query: T, byUser: boolean, now: Date): T {
  const step = hasMinutes(query, byUser, now) ? SPAN_MS.minute : HOUR_MS
  return { ...query, from: floorTo(step, query.from), to: ceilTo(step, query.to) }
}

const SHORTER = { week: 'day', day: 'hour', hour: 'minute' } as const

interface Piece extends Time {
  readonly span: Span
}

/** Spans of `longest`, and shorter ones before and after them. A day or week before `keptFrom` is divided: retention has removed a part of it. */
export function piecesOf({ from, to }: Time, longest: Span, keptFrom: Date): Piece[] {
  if (from >= to) return []
  if (longest === 'minute') return [{ span: 'minute', from, to }]
  const shorter = SHORTER[longest]
  const earliest = longest !== 'hour' && keptFrom > from ? keptFrom : from
  const end = startOfSpan(longest, to)
  const floor = startOfSpan(longest, earliest)
  const start = floor < earliest ? new Date(floor.getTime() + SPAN_MS[longest]) : floor
  if (start >= end) return piecesOf({ from, to }, shorter, keptFrom)
  return [
    ...piecesOf({ from, to: start }, shorter, keptFrom),
    { span: longest, from: start, to: end },
    ...piecesOf({ from: end, to }, shorter, keptFrom),
  ]
}

function filtersOf({ applicationId, keyIds, provider, model, userHashes }: UsageFilter) {
  const given = { application: applicationId, provider, model, user: userHashes, key: keyIds }
  return DIMENSIONS.flatMap((dimension) => {
    const values = given[dimension]
    return values === undefined ? [] : [{ dimension, values: [values].flat().map((value) => toUuidOrText(dimension, value)) }]
  })
}

/** The one value that the filters select: `all` without filters. undefined: they are several, or the verdict. */
export function placeOf(query: UsageFilter): { dimension: Dimension | 'all'; values: readonly string[] } | undefined {
  const filters = filtersOf(query)
  if (query.verdict || filters.length > 1) return undefined
  return filters[0] ?? { dimension: 'all', values: [''] }
}

export const among = (column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${[...values]}::text[])`

const COLUMN = { application: 'application_id', provider: 'provider', model: 'model', user: 'user_hash', key: 'key_id' } as const

interface Wanted {
  /** Longest spans that may be summed into one. */
  readonly longest: Span
  /** Property that `value` has; without it, `value` has no meaning. */
  readonly dimension?: Grouping | undefined
  /** Only these values of it, as the API has them. */
  readonly values?: readonly string[] | undefined
}

/** Rows of `value`, `at`, the sums and the verdicts. A long time is read from the counts by one property, unless filters combine several. */
export async function usageSource(
  db: Db,
  query: UsageQuery,
  { longest, dimension, values }: Wanted,
): Promise<RawBuilder<unknown>> {
  if (dimension === 'team') return byTeam(query, await usageSource(db, query, { longest, dimension: 'key' }), values)
  const keptFrom = await keptFromOf(db, query.workspaceId)
  const stored = dimension && values?.map((value) => toUuidOrText(dimension, value))
  const place = isShort(query) ? undefined : placeOf(query)
  if (place && (dimension === undefined || place.dimension === 'all' || place.dimension === dimension)) {
    const own = place.dimension === 'all' && dimension ? undefined : place.values
    return unionOf(piecesOf(query, longest, keptFrom), ofValues(query, dimension ?? place.dimension, own, stored))
  }
  return unionOf(piecesOf(query, longest === 'week' ? 'day' : longest, keptFrom), ofCombinations(query, dimension, stored))
}

function byTeam({ teamOfKey = new Map() }: UsageQuery, ofKeys: RawBuilder<unknown>, values: readonly string[] | undefined) {
  const team = sql`coalesce(membership.team, '')`
  return sql`(
    select ${team} as value, at, ${VALUE_COLUMNS} from ${ofKeys} as of_key
    left join unnest(${[...teamOfKey.keys()]}::text[], ${[...teamOfKey.values()]}::text[]) as membership (key, team) on key = of_key.value
    ${values ? sql`where ${among(team, values)}` : sql``})`
}

const unionOf = (pieces: readonly Piece[], ofPiece: (piece: Piece) => RawBuilder<unknown>) =>
  sql`(${sql.join(pieces.map(ofPiece), sql` union all `)})`

const VALUE_COLUMNS = sql.join([...SUM_COLUMNS, ...VERDICTS].map((column) => sql.ref(column)))

function ofValues(
  { workspaceId }: UsageQuery,
  dimension: Dimension | 'all',
  own: readonly string[] | undefined,
  stored: readonly string[] | undefined,
) {
  const values = own && stored ? own.filter((value) => stored.includes(value)) : (own ?? stored)
  const place = sql`workspace_id = ${uuidOf('ws', workspaceId)} and dimension = ${sql.lit(dimension)}`
  return (piece: Piece) =>
    values
      ? sql`
        select counted.* from ${startsIn(piece)} as start cross join unnest(${[...values]}::text[]) as chosen
        cross join lateral (
          select value, at, ${VALUE_COLUMNS} from audit_usage_value
          where ${place} and span = ${sql.lit(piece.span)} and at = start and value = chosen offset 0
        ) as counted`
      : sql`
        select value, at, ${VALUE_COLUMNS} from audit_usage_value
        where ${place} and span = ${sql.lit(piece.span)} and at >= ${piece.from} and at < ${piece.to}`
}

/** Starts of the spans of a piece. With them each row of a few values is found by its key, however many other values there are. */
const startsIn = ({ span, from, to }: Piece) =>
  sql`generate_series(${from}::timestamptz, ${new Date(to.getTime() - 1)}::timestamptz, ${sql.lit(`1 ${span}`)}::interval)`

/** A row of one verdict, with the verdicts as columns. */
const SUMS_AS_VALUES = sql.join([
  ...SUM_COLUMNS.map((column) => sql.ref(column)),
  ...VERDICTS.map((verdict) => sql`case when verdict = ${sql.lit(verdict)} then requests else 0 end as ${sql.ref(verdict)}`),
])

function ofCombinations(query: UsageQuery, dimension: Dimension | undefined, values: readonly string[] | undefined) {
  const { workspaceId, userHashes, verdict } = query
  const table = dimension === 'user' || userHashes ? sql`audit_usage_user` : sql`audit_usage`
  const value = dimension ? sql`${sql.ref(COLUMN[dimension])}::text` : sql`''`
  const conditions = [
    sql`workspace_id = ${uuidOf('ws', workspaceId)}`,
    ...filtersOf(query).map((filter) => among(sql.ref(COLUMN[filter.dimension]), filter.values)),
    ...(verdict ? [sql`verdict = ${verdict}`] : []),
    ...(values ? [among(value, values)] : []),
  ]
  return ({ span, from, to }: Piece) => sql`
    select ${value} as value, at, ${SUMS_AS_VALUES} from ${table}
    where ${sql.join(conditions, sql` and `)} and span = ${sql.lit(span)} and at >= ${from} and at < ${to}`
}

export async function keptFromOf(db: Db, workspaceId: string): Promise<Date> {
  const position = await db
    .selectFrom('audit_usage_position')
    .select('kept_from')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .executeTakeFirst()
  return position?.kept_from instanceof Date ? position.kept_from : new Date(0)
}
