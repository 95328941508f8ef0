import { type Fields, isObject, isSet } from '../platform/lib/untrusted-json.ts'

/** Whether a field asks for nothing. Typed clients send null, [], {} and '' for fields that they do not use. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** The fields that are set: typed clients send null for absent ones. */
export const withoutNulls = (value: object): Fields =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => isSet(field)))

/** Whether an object of a response has no other field with a value: it would be lost, for example a citation. */
export const hasOnly = (value: Fields, known: readonly string[]): boolean =>
  Object.entries(value).every(
    ([name, field]) => known.includes(name) || !isSet(field) || (Array.isArray(field) && field.length === 0),
  )

export const without = (fields: object, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const CALL_FIELDS = ['id', 'type', 'function', 'custom', 'extra_content', 'provider_specific_fields']

/** For each tool call of a completion, the fields that only its provider defines. Returns an empty list if no call has such a field. */
export function ownFieldsOfCalls(calls: unknown): readonly Fields[] {
  const fields = (Array.isArray(calls) ? (calls as unknown[]) : []).map((call): Fields => {
    if (!isObject(call)) return {}
    const inner = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
    return { ...without(call, CALL_FIELDS), ...without(inner, ['name', 'arguments', 'input']) }
  })
  return fields.some((each) => Object.keys(each).length > 0) ? fields : []
}
