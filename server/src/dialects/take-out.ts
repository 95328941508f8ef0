import type { Fields } from '../platform/lib/untrusted-json.ts'

/** Other names could be read as a path. */
const PATH = /^[a-z_]\w*(?:\[\d+\]|\.[a-z_]\w*)*$/i

/** Known fields of any object, and those that a request may carry. Copying wider objects for each field would take quadratic time. */
const MAX_FIELDS = 256

/** `rest`: the body with `placeholder` in place of the value. Undefined: no such field, or one in an object with too many fields. */
export function takeOut(
  body: unknown,
  path: string,
  placeholder: unknown,
): { readonly value: unknown; readonly rest: unknown } | undefined {
  if (!PATH.test(path)) return undefined
  const names = path.split(/[.[\]]+/).filter((name) => name !== '')
  const value = names.reduce<unknown>((at, name) => (hasOwn(at, name) && !isWide(at) ? at[name] : undefined), body)
  return value === undefined ? undefined : { value, rest: replaceAt(body, names, placeholder) }
}

const hasOwn = (value: unknown, name: string): value is Fields =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)

const isWide = (value: Fields): boolean => !Array.isArray(value) && Object.keys(value).length > MAX_FIELDS

function replaceAt(value: unknown, [name, ...names]: readonly string[], placeholder: unknown): unknown {
  if (name === undefined) return placeholder
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === name ? replaceAt(item, names, placeholder) : item))
  }
  const fields = Object.entries(value as Fields).map(([key, field]) => [
    key,
    key === name ? replaceAt(field, names, placeholder) : field,
  ])
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
}
