import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import { RefusedField, UnknownField } from '../client-fields.ts'

export function fieldsAt(value: unknown, path: string): Fields {
  if (isObject(value)) return value
  throw new RefusedField(path, 'must be object')
}

export function textAt(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw new RefusedField(path, 'must be string')
}

/** Absent and null are false. */
export function booleanAt(value: unknown, path: string): boolean {
  if (value == null || typeof value === 'boolean') return value ?? false
  throw new RefusedField(path, 'must be boolean')
}

export function itemsAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new RefusedField(path, 'must be array')
}

/** Refuses fields that are neither `known` nor null. `cache_control` is accepted everywhere: it changes only what a provider charges. */
export function refuseOthers(fields: Fields, known: readonly string[], path: string): void {
  refuseCacheControl(fields.cache_control, path)
  const other = Object.keys(fields).find((name) => fields[name] != null && name !== 'cache_control' && !known.includes(name))
  if (other !== undefined) throw new UnknownField(path === '' ? other : `${path}.${other}`, 'is not supported by the gateway')
}

/** No detector reads these fields, so they may only have the values that the API defines. */
function refuseCacheControl(value: unknown, path: string): void {
  if (value == null) return
  const at = path === '' ? 'cache_control' : `${path}.cache_control`
  const { type, ttl, scope, ...others } = fieldsAt(value, at)
  oneOf(type, ['ephemeral'], `${at}.type`)
  if (ttl != null) oneOf(ttl, ['5m', '1h'], `${at}.ttl`)
  // Of the beta prompt-caching-scope-2026-01-05.
  if (scope != null) oneOf(scope, ['global', 'org'], `${at}.scope`)
  const other = Object.keys(others)[0]
  if (other !== undefined) throw new RefusedField(`${at}.${other}`, 'is not supported by the gateway')
}

export function oneOf(value: unknown, allowed: readonly string[], path: string): void {
  if (allowed.includes(value as string)) return
  throw new RefusedField(path, `must be ${allowed.map((text) => JSON.stringify(text)).join(' or ')}`)
}
