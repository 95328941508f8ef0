import { type TSchema, Type } from 'typebox'
import type { Page } from '../../db/page.ts'
import { invalid } from './refusals.ts'

/** Query of every list (decisions.md §3, Paging). */
export const PAGE = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  starting_after: Type.Optional(Type.String({ maxLength: 200, description: 'Id of the last object of the page before.' })),
  ending_before: Type.Optional(Type.String({ maxLength: 200, description: 'Id of the first object of the page after.' })),
}

type Cursor = 'starting_after' | 'ending_before'

/** Where a page begins: at the list's start, or beside the object of an id. */
export interface PageAsked {
  readonly limit: number
  readonly cursor?: { readonly param: Cursor; readonly id: string }
}

type PageQuery = { readonly limit?: number } & { readonly [C in Cursor]?: string }

/** The page that a query asks for. Throws a 400 for two cursors at once. */
export function pageQuery({ limit = 10, starting_after: after, ending_before: before }: PageQuery): PageAsked {
  if (after !== undefined && before !== undefined) {
    throw invalid({ param: 'ending_before', message: 'must not be given together with starting_after' })
  }
  if (after !== undefined) return { limit, cursor: { param: 'starting_after', id: after } }
  return before === undefined ? { limit } : { limit, cursor: { param: 'ending_before', id: before } }
}

/** 400: the cursor is no object of this list. */
export const unknownCursor = ({ cursor }: PageAsked) =>
  invalid({ param: cursor?.param ?? 'starting_after', message: 'must be the id of an object of this list' })

/** Whether the page lies before its cursor, so that the query walks the list the other way round. */
export const isBackwards = ({ cursor }: PageAsked): boolean => cursor?.param === 'ending_before'

/** One page of what a query found that walked from the cursor on and asked for one row more than the page holds. */
export function pageOf<Row, T>(rows: readonly Row[], page: PageAsked, read: (row: Row) => T): Page<T> {
  const data = rows.slice(0, page.limit).map(read)
  return { data: isBackwards(page) ? data.reverse() : data, hasMore: rows.length > page.limit }
}

/** Schema of a page. */
export const ListOf = (item: TSchema) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item), has_more: Type.Boolean() })

/** A page as it is sent. */
export const listView = <T, V>({ data, hasMore }: Page<T>, view: (item: T) => V) => ({
  object: 'list' as const,
  data: data.map(view),
  has_more: hasMore,
})

/** Timestamps are whole seconds in answers, and milliseconds inside. */
export const Seconds = Type.Integer({ description: 'Unix time in seconds.' })
export const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000)
export const secondsOrNull = (date: Date | null): number | null => (date === null ? null : seconds(date))
