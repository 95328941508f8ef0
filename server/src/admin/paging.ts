import { Type } from 'typebox'
import { isStorable } from '../applications/shapes.ts'
import type { Page, PageRequest } from '../db/page.ts'
import { fromId } from '../lib/id.ts'
import { invalid } from './refusals.ts'

/** Query of every list. */
export const PAGE = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ maxLength: 1_000, description: '`next_cursor` of the page before.' })),
}

interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

export const invalidCursor = () => invalid({ param: 'cursor', message: 'must be the next_cursor of a page of this list' })

/** The page asked for. Throws a 400 for a cursor that no list has given out. */
export function pageOf({ limit = 20, cursor }: PageQuery): PageRequest {
  if (cursor === undefined) return { limit }
  const after = Buffer.from(cursor, 'base64url').toString()
  if (cursorOf(after) !== cursor || !isStorable(after)) throw invalidCursor()
  return { limit, after }
}

/** Opaque, so that nobody builds one: the key of the last item seen. */
const cursorOf = (key: string): string => Buffer.from(key).toString('base64url')

/** One page as it is sent. `found` is undefined when the store did not know the cursor. */
export function listOf<T, V>(found: Page<T> | undefined, view: (item: T) => V, keyOf: (item: T) => string) {
  if (!found) throw invalidCursor()
  const last = found.data.at(-1)
  return {
    object: 'list' as const,
    data: found.data.map(view),
    has_more: found.hasMore,
    next_cursor: found.hasMore && last !== undefined ? cursorOf(keyOf(last)) : null,
  }
}

/** The Application a list is asked for. Throws a 400 for what is no such id; that of another Workspace finds nothing. */
export function applicationIn({ application_id: id }: { readonly application_id?: string }): string | undefined {
  if (id !== undefined && fromId('app', id) === undefined) {
    throw invalid({ param: 'application_id', message: 'must be the id of an Application' })
  }
  return id
}
