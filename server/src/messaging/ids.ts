import { fromId } from '../lib/id.ts'

/** The UUID of an id that the server generated. Throws if the id has another prefix, which is a programming error. */
export function uuidOf(prefix: string, id: string): string {
  const uuid = fromId(prefix, id)
  if (uuid === undefined) throw new TypeError(`This is not an id with the prefix ${prefix}`)
  return uuid
}
