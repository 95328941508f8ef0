import { fromId } from '../lib/id.ts'

/** The owner that a store function is handed comes from our own code: anything but an id of a Workspace is a mistake in it. */
export function uuidOfWorkspace(workspaceId: string): string {
  const uuid = fromId('ws', workspaceId)
  if (uuid === undefined) throw new TypeError('not the id of a Workspace')
  return uuid
}

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

export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
