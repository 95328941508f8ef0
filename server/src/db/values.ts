import { fromId } from '../lib/id.ts'

/** The UUID of `ws_…`. Throws a TypeError for another id, because store functions get the owner from our own code. */
export function uuidOfWorkspace(workspaceId: string): string {
  const uuid = fromId('ws', workspaceId)
  if (uuid === undefined) throw new TypeError('not the id of a Workspace')
  return uuid
}

/** JSON for a nullable column: undefined and null become SQL null, not JSON null. */
export const jsonOrNull = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)
