import type { Problem } from '../../platform/lib/schema.ts'
import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'

/** Thrown by the decoders of one request and turned into its problem. */
export class Untranslatable extends Error {
  readonly problem: Problem

  constructor(param: string, message: string) {
    super(message)
    this.problem = { param, message }
  }
}

/** A field or block that the gateway does not know. An Application may allow it (`settings.unknown_fields`). */
export class UnknownField extends Untranslatable {
  /** Where the field, or the whole block, stands. */
  readonly path: string
  /** Stands for a block that is left out, so that the others keep their indices; undefined: the field is removed. */
  readonly placeholder: unknown

  constructor(path: string, message: string, placeholder?: unknown) {
    super(placeholder === undefined ? path : `${path}.type`, message)
    this.path = path
    this.placeholder = placeholder
  }
}

export function fieldsAt(value: unknown, path: string): Fields {
  if (isObject(value)) return value
  throw new Untranslatable(path, 'must be object')
}

export function textAt(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw new Untranslatable(path, 'must be string')
}

/** Absent and null are false. */
export function booleanAt(value: unknown, path: string): boolean {
  if (value == null || typeof value === 'boolean') return value ?? false
  throw new Untranslatable(path, 'must be boolean')
}

export function itemsAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new Untranslatable(path, 'must be array')
}

/**
 * Refuses every field that is neither translated (`known`) nor null, so that nothing is lost without the client's knowledge.
 * `cache_control` is accepted everywhere: it changes only what a provider charges.
 */
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
  if (other !== undefined) throw new Untranslatable(`${at}.${other}`, 'is not supported by the gateway')
}

/** Refuses every other value. */
export function oneOf(value: unknown, allowed: readonly string[], path: string): void {
  if (allowed.includes(value as string)) return
  throw new Untranslatable(path, `must be ${allowed.map((text) => JSON.stringify(text)).join(' or ')}`)
}
