/**
 * Types of a condition's values, as far as they are known when a policy is published. `any` is what comes out of free-form
 * maps (`user.attributes`, `application.settings`): its type shows only at evaluation.
 */
export type Type =
  | { readonly kind: 'bool' | 'double' | 'duration' | 'null' | 'any' }
  /** `scale`: the int is a rank on it, and compares with ranks on the same scale only. */
  | { readonly kind: 'int'; readonly scale?: string }
  /** `words`: the text is always one of these. */
  | { readonly kind: 'string'; readonly words?: Words }
  /** `nullable`: null when there is none. */
  | { readonly kind: 'timestamp'; readonly nullable?: boolean }
  | { readonly kind: 'list'; readonly of: Type }
  /** Keys are text; `keys`: exactly these. */
  | { readonly kind: 'map'; readonly of: Type; readonly keys?: ReadonlySet<string> }

export type Kind = Type['kind']

/** A closed set of texts, such as the classifications, under the name people know it by. */
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

/** Whether `a == b` can ever be true. Comparing what never equals is a slip of the author's. */
export const comparable = (a: Type, b: Type): boolean =>
  a.kind === b.kind ||
  a.kind === 'any' ||
  b.kind === 'any' ||
  (isNumber(a) && isNumber(b)) ||
  (a.kind === 'null' && isNullable(b)) ||
  (b.kind === 'null' && isNullable(a))

const isNullable = (type: Type): boolean => type.kind === 'timestamp' && type.nullable === true

/** One type for several values, of a list or of the two sides of `? :`. */
export function joined(types: readonly Type[]): Type {
  const [first, ...rest] = types
  if (!first) return ANY
  if (rest.every((type) => type.kind === first.kind)) return first.kind === 'string' ? STRING : first
  return ANY
}

/** A type in an author's words. */
export function named(type: Type): string {
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
