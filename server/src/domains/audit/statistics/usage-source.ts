import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { type Dimension, toUuidOrText } from './dimension-values.ts'
import { SUMS, VALUE_SUMS } from './usage-facts.ts'
import { among, conditionsOf, isShort, type Piece, piecesOf, placeOf, type UsageQuery } from './usage-query.ts'

const COLUMN: Readonly<Record<Dimension, RawBuilder<unknown>>> = {
  application: sql`application_id::text`,
  provider: sql`provider`,
  model: sql`model`,
  user: sql`user_hash`,
  key: sql`key_id`,
}

interface Wanted {
  /** Longest spans that may be summed into one. */
  readonly longest: 'week' | 'day' | 'hour' | 'minute'
  /** Property that `value` has; without it, `value` has no meaning. */
  readonly dimension?: Dimension | undefined
  /** Only these values of it, as the API has them. */
  readonly values?: readonly string[] | undefined
}

/**
 * SQL for rows of `value`, `at` and the columns of VALUE_SUMS. A long time is read from the counts by one property, unless filters combine
 * several; otherwise the counts of all combinations have it.
 */
export async function usageSource(
  db: Db,
  query: UsageQuery,
  { longest, dimension, values }: Wanted,
): Promise<RawBuilder<unknown>> {
  const keptFrom = await keptFromOf(db, query.workspaceId)
  const stored = dimension && values?.map((value) => toUuidOrText(dimension, value))
  const place = isShort(query) ? undefined : placeOf(query)
  if (place && (dimension === undefined || place.dimension === 'all' || place.dimension === dimension)) {
    const own = place.dimension === 'all' && dimension ? undefined : place.values
    return unionOf(piecesOf(query, longest, keptFrom), ofValues(query, dimension ?? place.dimension, [own, stored]))
  }
  return unionOf(piecesOf(query, longest === 'week' ? 'day' : longest, keptFrom), ofCombinations(query, dimension, stored))
}

const unionOf = (pieces: readonly Piece[], ofPiece: (piece: Piece) => RawBuilder<unknown>) =>
  sql`(${sql.join(pieces.map(ofPiece), sql` union all `)})`

const ofValues = (
  { workspaceId }: UsageQuery,
  dimension: Dimension | 'all',
  chosen: readonly (readonly string[] | undefined)[],
) => {
  const lists = chosen.flatMap((values) => (values ? [values] : []))
  const [first, ...others] = lists
  const values = first?.filter((value) => others.every((list) => list.includes(value)))
  const place = sql`workspace_id = ${uuidOf('ws', workspaceId)} and dimension = ${sql.lit(dimension)}`
  return ({ span, from, to }: Piece) =>
    values
      ? sql`
        select counted.* from ${startsIn({ span, from, to })} as start cross join unnest(${values}::text[]) as chosen
        cross join lateral (
          select value, at, ${VALUE_SUMS.columns} from audit_usage_value
          where ${place} and span = ${sql.lit(span)} and at = start and value = chosen offset 0
        ) as counted`
      : sql`
        select value, at, ${VALUE_SUMS.columns} from audit_usage_value
        where ${place} and span = ${sql.lit(span)} and at >= ${from} and at < ${to}`
}

/** Starts of the spans of a piece. With them each row of a few values is found by its key, however many other values there are. */
const startsIn = ({ span, from, to }: Piece) =>
  sql`generate_series(${from}::timestamptz, ${new Date(to.getTime() - 1)}::timestamptz, ${sql.lit(`1 ${span}`)}::interval)`

function ofCombinations(query: UsageQuery, dimension: Dimension | undefined, values: readonly string[] | undefined) {
  const table = dimension === 'user' || query.userHashes ? sql`audit_usage_user` : sql`audit_usage`
  const column = dimension ? COLUMN[dimension] : sql`''`
  return ({ span, from, to }: Piece) => sql`
    select ${column} as value, at, ${SUMS.asValues} from ${table}
    where workspace_id = ${uuidOf('ws', query.workspaceId)} and span = ${sql.lit(span)} and at >= ${from} and at < ${to}
      ${also([...conditionsOf(query), values && among(column, values)])}`
}

const also = (conditions: readonly (RawBuilder<unknown> | undefined)[]) =>
  sql.join(
    conditions.flatMap((condition) => (condition ? sql` and ${condition}` : [])),
    sql``,
  )

/** Start of the counts that retention has kept. */
export async function keptFromOf(db: Db, workspaceId: string): Promise<Date> {
  const position = await db
    .selectFrom('audit_usage_position')
    .select('kept_from')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .executeTakeFirst()
  return position?.kept_from instanceof Date ? position.kept_from : new Date(0)
}
