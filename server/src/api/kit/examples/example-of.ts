import { OWN_VALUES } from './own-values.ts'
import { FORMATS, ID_PREFIXES, idOf, OMITTED, SECONDS, TRUE_FIELDS, VALUES } from './values.ts'

type Json = Readonly<Record<string, unknown>>

interface Place {
  /** The name of the field. */
  readonly name: string
  /** The component that has the field, or the field of an object without a name. */
  readonly owner: string
  readonly isComponent: boolean
  /** Requests show required fields, responses all. */
  readonly isRequest: boolean
  /** Finds a component by its reference. */
  readonly find: (reference: string) => Json
  /** Whether a value is valid for a schema. */
  readonly fits: (schema: Json, value: unknown) => boolean
  readonly depth: number
}

const MAX_DEPTH = 8

/** A value of the schema as a reader would expect it: by the name of the field, else by its type. */
export function exampleOf(schema: Json, place: Place): unknown {
  const { $ref } = schema
  if (typeof $ref === 'string')
    return exampleOf(place.find($ref), {
      ...place,
      owner: $ref.slice($ref.lastIndexOf('/') + 1),
      isComponent: true,
      depth: place.depth + 1,
    })
  const named = namedValue(place)
  if (named !== undefined && place.fits(schema, named)) return named
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const members = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined
  if (members) return isNullable(members) && !place.isRequest ? null : exampleOf(notNull(members), place)
  if (Array.isArray(schema.allOf)) return exampleOf(schema.allOf[0], place)
  return ofType(schema, place)
}

function namedValue({ name, owner }: Place): unknown {
  const own = OWN_VALUES[`${owner}.${name}`]
  if (own !== undefined) return own
  const prefix = ID_PREFIXES[owner]
  if (name === 'id') return prefix && idOf(prefix)
  return VALUES[name]
}

const isNullable = (members: readonly Json[]): boolean => members.some(({ type }) => type === 'null')
const notNull = (members: readonly Json[]): Json => members.find(({ type }) => type !== 'null') ?? {}

function ofType(schema: Json, place: Place): unknown {
  const types = Array.isArray(schema.type) ? (schema.type as readonly string[]) : [schema.type]
  if (types.includes('null') && !place.isRequest) return null
  switch (types.find((type) => type !== 'null')) {
    case 'object':
      return objectOf(schema, place)
    case 'array':
      return arrayOf(schema, place)
    case 'string':
      return typeof schema.format === 'string' ? (FORMATS[schema.format] ?? 'text') : textOf(schema, place)
    case 'integer':
    case 'number':
      return numberOf(schema, place)
    case 'boolean':
      return TRUE_FIELDS.has(place.name)
    default:
      return null
  }
}

/** The fields of an object without a name belong to the field that has it: `user.id`. */
function objectOf({ properties = {}, required = [], additionalProperties }: Json, outer: Place): Json {
  const place = outer.isComponent ? { ...outer, isComponent: false } : { ...outer, owner: outer.name }
  const all = Object.entries(properties as Readonly<Record<string, Json>>)
  const needed = required as readonly string[]
  const isShown = (name: string, index: number): boolean =>
    needed.includes(name) ||
    (place.isRequest ? needed.length === 0 && index < 2 : place.depth < MAX_DEPTH && !OMITTED.has(`${place.owner}.${name}`))
  const shown = all.filter(([name], index) => isShown(name, index))
  if (shown.length === 0 && typeof additionalProperties === 'object' && place.depth < MAX_DEPTH) {
    const value = exampleOf(additionalProperties as Json, { ...place, name: '', isComponent: false, depth: place.depth + 1 })
    return { [keyOf(place.name)]: value }
  }
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, { ...place, name, depth: place.depth + 1 })]))
}

const keyOf = (name: string): string => (name === 'findings' ? 'pii.email' : 'support')

const UNIX_TIMES: ReadonlySet<string> = new Set(['ChatCompletion', 'Model'])

function arrayOf({ items, minItems = 0 }: Json, place: Place): readonly unknown[] {
  if (typeof items !== 'object' || (place.depth >= MAX_DEPTH && minItems === 0)) return []
  return [exampleOf(items as Json, { ...place, name: place.name.replace(/s$/, ''), depth: place.depth + 1 })]
}

function textOf({ pattern, minLength = 0 }: Json, { name }: Place): string {
  const word = name === '' ? 'text' : name.replaceAll('_', ' ')
  return typeof pattern === 'string' && !new RegExp(pattern, 'u').test(word) ? 'text' : word.padEnd(minLength as number, 'x')
}

function numberOf({ minimum, type }: Json, { name, owner }: Place): number {
  if (/_at$/.test(name) || (name === 'created' && UNIX_TIMES.has(owner))) return SECONDS
  const value = /_ms$/.test(name) ? 240 : 1
  return typeof minimum === 'number' && minimum > value ? minimum : type === 'number' ? 0.5 : value
}
