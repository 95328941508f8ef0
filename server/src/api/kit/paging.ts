import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { ListSort, Page, PageRequest } from '../../platform/db/page.ts'
import { isStorable, oneOf } from '../../platform/lib/fields.ts'
import { fromId } from '../../platform/lib/id.ts'
import { invalid } from '../../shared/request-errors.ts'

export const PAGE = {
  limit: Type.Optional(Type.Integer({ title: 'LimitParameter', minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(
    Type.String({ title: 'CursorParameter', maxLength: 1_000, description: '`next_cursor` of the previous page.' }),
  ),
}

export const invalidCursor = () => invalid({ param: 'cursor', message: 'must be the next_cursor of a page of this list' })

/** The page of an admin query. Throws a 400 for a cursor that no list has returned. */
export function pageOf({ limit = 20, cursor }: Static<TObject<typeof PAGE>>): PageRequest {
  if (cursor === undefined) return { limit }
  const after = Buffer.from(cursor, 'base64url').toString()
  if (encodeCursor(after) !== cursor || !isStorable(after)) throw invalidCursor()
  return { limit, after }
}

export const encodeCursor = (key: string): string => Buffer.from(key).toString('base64url')

/** A page as the admin API sends it. Throws a 400 when the store did not know the cursor and found no page. */
export function listOf<T, V>(page: Page<T> | undefined, view: (item: T) => V, keyOf: (item: T) => string) {
  if (!page) throw invalidCursor()
  const last = page.data.at(-1)
  const key = page.hasMore && last !== undefined ? keyOf(last) : undefined
  return listUntil(page, view, key)
}

export const asIs = <T>(row: T): T => row

export const listById = <T extends { readonly id: string }, V>(page: Page<T> | undefined, view: (item: T) => V) =>
  listOf(page, view, ({ id }) => id)

/** A page that may be shorter than its limit. `end`: key of the row behind which the next page begins; undefined on the last page. */
export function listUntil<T, V>(page: Page<T>, view: (item: T) => V, end: string | undefined) {
  return {
    object: 'list' as const,
    data: page.data.map(view),
    has_more: page.hasMore,
    next_cursor: end === undefined ? null : encodeCursor(end),
  }
}

export const List = (item: TSchema) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'null on the last page.' }),
  })

/** Query of the messaging API's lists: ids of objects (MSG-LIST-2, MSG-LIST-3). */
export const ID_PAGE = {
  limit: Type.Optional(Type.Integer({ title: 'IdLimitParameter', minimum: 1, maximum: 100, default: 10 })),
  starting_after: Type.Optional(
    Type.String({ title: 'StartingAfterParameter', maxLength: 200, description: 'Id of the last object of the previous page.' }),
  ),
  ending_before: Type.Optional(
    Type.String({ title: 'EndingBeforeParameter', maxLength: 200, description: 'Id of the first object of the next page.' }),
  ),
}

/** The page of a messaging query. Throws a 400 for two cursors. */
export function idPageOf(query: Static<TObject<typeof ID_PAGE>>): PageRequest {
  const { limit = 10, starting_after: after, ending_before: before } = query
  if (after !== undefined && before !== undefined)
    throw invalid({ param: 'ending_before', message: 'must not be given together with starting_after' })
  return { limit, ...(after !== undefined && { after }), ...(before !== undefined && { before }) }
}

export const IdList = (item: TSchema) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item), has_more: Type.Boolean() })

/** A page as the messaging API sends it. Throws a 400 when the store did not find the cursor's object in the list. */
export function idListOf<T, V>(page: Page<T> | undefined, { before }: PageRequest, view: (item: T) => V) {
  const param = before === undefined ? 'starting_after' : 'ending_before'
  if (!page) throw invalid({ param, message: 'must be the id of an object of this list' })
  return { object: 'list' as const, data: page.data.map(view), has_more: page.hasMore }
}

/** The Application that a list is filtered by. Throws a 400 for an invalid id; one of another Workspace matches nothing. */
export function applicationIn({ application_id: id }: { readonly application_id?: string }): string | undefined {
  if (id === undefined || fromId('app', id) !== undefined) return id
  throw invalid({ param: 'application_id', message: 'must be the id of an Application' })
}

const sortsOf = <N extends string>(names: readonly N[]) => names.flatMap((name) => [name, `-${name}`] as const)

/** Query of a list that can be sorted: `sort=name`, or descending `sort=-name`. */
export const sortQuery = <N extends string>(names: readonly N[], description: string) => ({
  sort: Type.Optional({ ...oneOf(sortsOf(names)), description }),
})

export function sortOf<N extends string>(names: readonly N[], { sort }: { readonly sort?: string }): ListSort<N> | undefined {
  const by = names.find((name) => name === sort?.replace('-', ''))
  return by && { by, direction: sort?.startsWith('-') ? 'desc' : 'asc' }
}
