import { fromId } from '../lib/id.ts'

/** The UUID of an id that the server generated. Throws a TypeError if the id has another prefix, which is a programming error. */
export function uuidOf(prefix: string, id: string): string {
  const uuid = fromId(prefix, id)
  if (uuid === undefined) throw new TypeError(`the id must begin with ${prefix}_`)
  return uuid
}

/** The UUID of an id that a client sends; null, which equals no column, if it is not an id with that prefix. */
export const uuidOrNull = (prefix: string, id: string): string | null => fromId(prefix, id) ?? null

export const uuidOfWorkspace = (workspaceId: string): string => uuidOf('ws', workspaceId)

/** JSON for a nullable column: undefined and null become SQL null, not JSON null. */
export const jsonOrNull = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)
