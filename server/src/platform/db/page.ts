import { type SelectQueryBuilder, sql } from 'kysely'
import { fromId } from '../lib/id.ts'

/** A page of a list: after the row of a cursor, before it, or the first page. Stores define the cursor, mostly an id. */
export interface PageRequest {
  readonly limit: number
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** A page with all rows of a list that is never long. */
export const ALL_ROWS = { limit: 100_000 }

export interface Page<T> {
  readonly data: readonly T[]
  readonly hasMore: boolean
}

/** The order of a list, by columns that are unique together. */
export interface Keyset {
  readonly by: readonly string[]
  /** Default: asc. */
  readonly order?: 'asc' | 'desc'
  /** Values of `by` in the row of the cursor. Absent: the first page. */
  readonly place?: readonly unknown[] | undefined
}

/** Whether the page ends before its cursor: the query then reads the list in reverse. */
export const isBackwards = ({ before }: PageRequest): boolean => before !== undefined

/** undefined: the first page. */
export const cursorOf = ({ after, before }: PageRequest): string | undefined => after ?? before

export interface ListSort<Name extends string> {
  readonly by: Name
  readonly direction: 'asc' | 'desc'
}

/**
 * The order of a list by a value that is not unique: `listed` is the query's common table expression, with `id` and `sort_value`, which is
 * never null. `id`: the row of the cursor, whose value is read again.
 */
export const sortedKeyset = (direction: ListSort<string>['direction'], id: string | undefined): Keyset => ({
  by: ['sort_value', 'id'],
  order: direction,
  place: id === undefined ? undefined : [sql`(select sort_value from listed where id = ${id})`, id],
})

/** Reads the page of `query` that follows `place`, or precedes it. */
export async function readPage<DB, Table extends keyof DB, Row, T>(
  query: SelectQueryBuilder<DB, Table, Row>,
  page: PageRequest,
  { by, order = 'asc', place }: Keyset,
  read: (row: Row) => T,
): Promise<Page<T>> {
  const ascending = (order === 'asc') !== isBackwards(page)
  const columns = by.map((column) => sql.ref(column))
  const beyond = place && sql<boolean>`(${sql.join(columns)}) ${sql.raw(ascending ? '>' : '<')} (${sql.join([...place])})`
  let rows = beyond ? query.where(beyond) : query
  for (const column of columns) rows = rows.orderBy(column, ascending ? 'asc' : 'desc')
  return pageOf((await rows.limit(page.limit + 1).execute()) as Row[], page, read)
}

/** As `readPage`, for a list whose cursors are ids: `placeOf` finds the place of one. Undefined if it is not in the list. */
export async function readPageFrom<DB, Table extends keyof DB, Row, T>(
  query: SelectQueryBuilder<DB, Table, Row>,
  page: PageRequest,
  { placeOf, ...order }: Omit<Keyset, 'place'> & { readonly placeOf: (cursor: string) => Promise<Keyset['place']> },
  read: (row: Row) => T,
): Promise<Page<T> | undefined> {
  const cursor = cursorOf(page)
  const place = cursor === undefined ? undefined : await placeOf(cursor)
  return cursor !== undefined && !place ? undefined : readPage(query, page, { ...order, place }, read)
}

/** The page in `rows`, which begin after the cursor and have one row more than the page if there are more. */
export function pageOf<Row, T>(rows: readonly Row[], page: PageRequest, read: (row: Row) => T): Page<T> {
  const data = rows.slice(0, page.limit).map(read)
  return { data: isBackwards(page) ? data.reverse() : data, hasMore: rows.length > page.limit }
}

/** A page of one table's rows by id. Undefined when the cursor is not an id of that prefix. */
export async function pageById<DB, Table extends keyof DB, Row, T>(
  query: SelectQueryBuilder<DB, Table, Row>,
  prefix: string,
  page: PageRequest,
  read: (row: Row) => T,
  { column = 'id', order = 'asc' }: { readonly column?: string; readonly order?: 'asc' | 'desc' } = {},
): Promise<Page<T> | undefined> {
  const placeOf = async (cursor: string) => {
    const id = fromId(prefix, cursor)
    return id === undefined ? undefined : [id]
  }
  return readPageFrom(query, page, { by: [column], order, placeOf }, read)
}
