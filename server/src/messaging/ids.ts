import { fromId } from '../lib/id.ts'

/** For ids of our own making; one that is not of `prefix` is a programming error. */
export function uuidOf(prefix: string, id: string): string {
  const uuid = fromId(prefix, id)
  if (uuid === undefined) throw new TypeError(`not an id of kind ${prefix}`)
  return uuid
}
