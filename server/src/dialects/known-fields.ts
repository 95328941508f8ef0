import { type Fields, isObject } from '../platform/lib/untrusted-json.ts'

/** Names of the fields that an API has, including fields whose values the gateway refuses. undefined: the values are not objects, or any JSON. */
export type KnownFields = ReadonlyMap<string, Known | undefined>
/** A kind of object, or the kind that an object has by its `type`; undefined: its fields are not looked at. */
export type Known = KnownFields | ((value: Fields) => KnownFields | undefined)

export const words = (text: string): readonly string[] => text.match(/\S+/g) ?? []

/** `names`: fields without objects that have a kind. */
export const knownFields = (names: string, nested: Readonly<Record<string, Known>> = {}): KnownFields =>
  new Map<string, Known | undefined>([
    ...words(names).map((name): [string, undefined] => [name, undefined]),
    ...Object.entries(nested),
  ])

/** `untyped`: the kind of an object without a type. */
export function byType(kinds: Readonly<Record<string, KnownFields>>, untyped?: KnownFields): Known {
  const map = new Map(Object.entries(kinds))
  return ({ type }) => (typeof type === 'string' ? map.get(type) : untyped)
}

export interface UnknownField {
  /** The path of the object that has it, from known names alone; empty: the body. Names of clients look like paths too. */
  readonly at: string
  readonly path: string
  readonly name: string
  readonly value: unknown
}

/** `body` is the same object if there are none. The name of a field whose value is null is a text as well. */
export function splitUnknown(body: unknown, known: Known): { readonly unknown: readonly UnknownField[]; readonly body: unknown } {
  const unknown: UnknownField[] = []
  return { body: hasUnknown(body, known) ? without(body, known, '', unknown) : body, unknown }
}

const kindOf = (value: Fields, known: Known): KnownFields | undefined => (typeof known === 'function' ? known(value) : known)

/** A cheap test: nearly every body has no unknown field. */
function hasUnknown(value: unknown, known: Known): boolean {
  if (Array.isArray(value)) return value.some((item) => hasUnknown(item, known))
  const fields = isObject(value) ? kindOf(value, known) : undefined
  if (!fields) return false
  for (const name of Object.keys(value as Fields)) {
    const kind = fields.get(name)
    if (kind === undefined ? !fields.has(name) : hasUnknown((value as Fields)[name], kind)) return true
  }
  return false
}

function without(value: unknown, known: Known, at: string, unknown: UnknownField[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => without(item, known, `${at}[${index}]`, unknown))
  const fields = isObject(value) ? kindOf(value, known) : undefined
  if (!fields) return value
  const kept = Object.entries(value as Fields).flatMap(([name, field]) => {
    const path = at === '' ? shown(name) : `${at}.${shown(name)}`
    if (!fields.has(name)) {
      unknown.push({ at, path, name, value: field })
      return []
    }
    const kind = fields.get(name)
    return [[name, kind ? without(field, kind, path, unknown) : field] as const]
  })
  return Object.fromEntries(kept)
}

const MAX_SHOWN = 64
const shown = (name: string): string => (name.length <= MAX_SHOWN ? name : `${name.slice(0, MAX_SHOWN).toWellFormed()}…`)

/** The governance block of a request, which no provider gets (GW-CHAT-4). */
export const GOVERNANCE = knownFields('session_id dry_run review_item_id wait_for_approval_seconds', {
  user: knownFields('id role department attributes'),
})
