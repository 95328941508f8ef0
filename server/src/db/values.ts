import { fromId } from '../lib/id.ts'

/** The owner that a store function is handed comes from our own code: anything but an id of a Workspace is a mistake in it. */
export function uuidOfWorkspace(workspaceId: string): string {
  const uuid = fromId('ws', workspaceId)
  if (uuid === undefined) throw new TypeError('not the id of a Workspace')
  return uuid
}

/** For a column of JSON in which nothing is SQL's null, not JSON's. */
export const jsonOrNull = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)
