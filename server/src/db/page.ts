import { type SelectQueryBuilder, sql } from 'kysely'
import { fromId } from '../lib/id.ts'
import type { Schema } from './schema.ts'

/** Where a page of a list begins (after the item of that id) and how many it holds at most. */
export interface PageRequest {
  readonly limit: number
  readonly after?: string | undefined
}

export interface Page<T> {
  readonly data: readonly T[]
  readonly hasMore: boolean
}

/** One page of what a query found that asked for one row more than the page holds. */
export const pageOf = <Row, T>(rows: readonly Row[], limit: number, read: (row: Row) => T): Page<T> => ({
  data: rows.slice(0, limit).map(read),
  hasMore: rows.length > limit,
})

/** A page of one table's rows, oldest first: their ids count up. Undefined when `after` is no id of that prefix. */
export async function pageById<Table extends keyof Schema, Row, T>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  prefix: string,
  { limit, after }: PageRequest,
  read: (row: Row) => T,
): Promise<Page<T> | undefined> {
  const place = after === undefined ? undefined : fromId(prefix, after)
  if (after !== undefined && place === undefined) return undefined
  const rest = place === undefined ? query : query.where(sql<boolean>`id > ${place}`)
  const rows = await rest
    .orderBy(sql`id`)
    .limit(limit + 1)
    .execute()
  return pageOf(rows as Row[], limit, read)
}
