import { type Static, type TProperties, Type } from 'typebox'
import { keptNumber } from '../../platform/lib/json-numbers.ts'
import { checker } from '../../platform/lib/schema.ts'
import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import { RefusedField, UnknownField } from '../client-fields.ts'
import { withoutNulls } from '../field-values.ts'

export { type Fields, isObject }

export const NOT_CARRIED = 'is not a field that the gateway can pass on to a model; leave it out'

export const text = Type.String()
export const optionalText = Type.Optional(text)
export const anyObject = Type.Object({}, { additionalProperties: true })
export const anyList = Type.Array(Type.Unknown())

/** Reads an object that has no fields but these. Null counts as absent. Throws RefusedField. */
export function reader<P extends TProperties>(fields: P) {
  const check = checker(Type.Object(fields, { additionalProperties: false }))
  return (value: unknown, at: string): Static<ReturnType<typeof Type.Object<P>>> => {
    const checked = check(isObject(value) ? withoutNulls(value) : (keptNumber(value) ?? value))
    if (checked.ok) return checked.value as Static<ReturnType<typeof Type.Object<P>>>
    const { param, message } = checked.problem
    const path = joinPath(at, param)
    throw message === 'is not a known field' ? new UnknownField(path, NOT_CARRIED) : new RefusedField(path, message)
  }
}

const joinPath = (at: string, path: string): string => (path === '' || at === '' ? at + path : `${at}.${path}`)

/** Throws RefusedField if the object has another type. */
export function byType<T>(map: Readonly<Record<string, T>>, value: unknown, at: string, reason: string): T {
  if (!isObject(value)) throw new RefusedField(at, 'must be object')
  const { type } = value
  if (typeof type === 'string' && Object.hasOwn(map, type)) return map[type] as T
  const known = Object.keys(map).map((name) => JSON.stringify(name))
  throw new RefusedField(`${at}.type`, `must be one of ${known.join(', ')}: ${reason}`)
}

/** Throws RefusedField. */
export function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new RefusedField(at, 'must be array')
  return value
}
