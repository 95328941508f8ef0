import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject } from '../platform/lib/untrusted-json.ts'

/** `written` with the differences between two translations of it, before and after a policy had changed some texts. */
export function mergeChanges(written: unknown, before: unknown, after: unknown): unknown {
  if (before === after || isDeepStrictEqual(before, after)) return written
  if (isObject(written) && isObject(before) && isObject(after)) return mergeFields(written, before, after)
  if (isList(written) && isList(before) && isList(after)) {
    if (written.length === before.length && before.length === after.length)
      return written.map((item, index) => mergeChanges(item, before[index], after[index]))
  }
  if (typeof written === 'string' && typeof before === 'string' && typeof after === 'string') {
    return withoutPrefix(written, before, after)
  }
  return after
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

function mergeFields(written: Fields, before: Fields, after: Fields): Fields {
  const merged: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(written)) {
    if (Object.hasOwn(after, name)) merged[name] = mergeChanges(value, before[name], after[name])
    // The name of a field is a text too, and a policy may have changed it.
    else if (!Object.hasOwn(before, name)) merged[name] = value
  }
  for (const [name, value] of Object.entries(after)) {
    if (!Object.hasOwn(written, name) && !isDeepStrictEqual(before[name], value)) merged[name] = value
  }
  return merged
}

/** A translation may put a mark before a text. */
function withoutPrefix(written: string, before: string, after: string): string {
  const prefix = before.endsWith(written) ? before.slice(0, before.length - written.length) : ''
  return after.startsWith(prefix) ? after.slice(prefix.length) : after
}
