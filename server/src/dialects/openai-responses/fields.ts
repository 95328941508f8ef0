import { type Static, type TProperties, Type } from 'typebox'
import { keptNumber } from '../../platform/lib/json-numbers.ts'
import { checker, type Problem } from '../../platform/lib/schema.ts'
import { isObject } from '../../platform/lib/untrusted-json.ts'

export { isObject }

export type Fields = Readonly<Record<string, unknown>>

/** Thrown inside `decodeRequest`, which returns the problem. */
export class RefusedField extends Error {
  readonly problem: Problem
  constructor(param: string, message: string) {
    super(`${param}: ${message}`)
    this.problem = { param, message }
  }
}

/** A field or item that the gateway does not know. An Application may allow it (`settings.unknown_fields`). */
export class UnknownField extends RefusedField {
  /** Where the field, or the whole item, stands. */
  readonly path: string
  /** Stands for an item that is left out, so that the others keep their indices; undefined: the field is removed. */
  readonly placeholder: unknown

  constructor(path: string, message: string, placeholder?: unknown) {
    super(placeholder === undefined ? path : `${path}.type`, message)
    this.path = path
    this.placeholder = placeholder
  }
}

export const NOT_CARRIED = 'is not a field that the gateway can pass on to a model; leave it out'

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

/** The fields that are set: typed clients send null for absent ones. */
export const withoutNulls = (value: object): Fields =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined))

/** The value of `map` for the `type` of an object. Throws RefusedField if it is another one. */
export function byType<T>(map: Readonly<Record<string, T>>, value: unknown, at: string, reason: string): T {
  if (!isObject(value)) throw new RefusedField(at, 'must be object')
  const { type } = value
  if (typeof type === 'string' && Object.hasOwn(map, type)) return map[type] as T
  const known = Object.keys(map).map((name) => JSON.stringify(name))
  throw new RefusedField(`${at}.type`, `must be one of ${known.join(', ')}: ${reason}`)
}

/** A list of at least one item, or the problem. */
export function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new RefusedField(at, 'must be array')
  return value
}
