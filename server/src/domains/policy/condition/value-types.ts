/** As known before evaluation. `any`: a value of a free-form map (`user.attributes`, `application.settings`). */
export type Type =
  | { readonly kind: 'bool' | 'double' | 'duration' | 'null' | 'any' }
  /** `scale`: the number is a rank on this scale and can be compared only with ranks on the same scale. */
  | { readonly kind: 'int'; readonly scale?: string }
  /** `words`: the text is always one of them. */
  | { readonly kind: 'string'; readonly words?: Words }
  | { readonly kind: 'timestamp'; readonly nullable?: boolean }
  | { readonly kind: 'list'; readonly of: Type }
  /** Keys are text. `keys`: the map has exactly these keys. */
  | { readonly kind: 'map'; readonly of: Type; readonly keys?: ReadonlySet<string> }
  | RecordType

export interface RecordType {
  readonly kind: 'map'
  /** Of a field whose name is known only at evaluation. */
  readonly of: Type
  readonly fields: Readonly<Record<string, Type>>
}

export type Kind = Type['kind']

export const keysOf = (type: Type & { kind: 'map' }): readonly string[] | undefined =>
  'fields' in type ? Object.keys(type.fields) : type.keys && [...type.keys]

export interface Words {
  readonly name: string
  readonly values: readonly string[]
}

export const BOOL: Type = { kind: 'bool' }
export const INT: Type = { kind: 'int' }
export const STRING: Type = { kind: 'string' }
export const TIMESTAMP: Type = { kind: 'timestamp' }
export const ANY: Type = { kind: 'any' }
export const ANY_LIST: Type = { kind: 'list', of: ANY }
export const ANY_MAP: Type = { kind: 'map', of: ANY }

const isNumber = (type: Type): boolean => type.kind === 'int' || type.kind === 'double'

/** Whether `a == b` can be true. A comparison that is always false is a mistake in the policy. */
export const isComparable = (a: Type, b: Type): boolean =>
  a.kind === b.kind ||
  a.kind === 'any' ||
  b.kind === 'any' ||
  (isNumber(a) && isNumber(b)) ||
  (a.kind === 'null' && isNullable(b)) ||
  (b.kind === 'null' && isNullable(a))

/** Whether a value holds records. Comparing them as a whole reads all their arguments, so conditions compare their fields. */
export const holdsRecords = (type: Type): boolean =>
  type.kind === 'list' ? holdsRecords(type.of) : type.kind === 'map' && 'fields' in type

const isNullable = (type: Type): boolean => type.kind === 'timestamp' && type.nullable === true

export function commonType(types: readonly Type[]): Type {
  const [first, ...rest] = types
  if (!first) return ANY
  if (rest.every((type) => type.kind === first.kind)) return first.kind === 'string' ? STRING : first
  return ANY
}

export function describeType(type: Type): string {
  switch (type.kind) {
    case 'string':
      return type.words ? `a ${type.words.name}` : 'text'
    case 'int':
      return 'a whole number'
    case 'double':
      return 'a fraction'
    case 'bool':
      return 'true or false'
    case 'any':
      return 'a value'
    case 'null':
      return 'null'
    default:
      return `a ${type.kind}`
  }
}
