import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

interface Shape {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false }
const WHOLE = /^-?\d{1,15}$/
const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/

/**
 * Reads texts as what the schema of their field asks for, so that a form, a query and JSON that say the same mean the same:
 * `true`, `1` and `12` are what they look like, the empty text is null where the field may be null, and empty where it is a
 * list or a map. What cannot be read stays as it is, for the check that follows to refuse.
 */
export function coerce(schema: TSchema, value: unknown): unknown {
  return read(schema as Shape, value)
}

function read(shape: Shape, value: unknown): unknown {
  if (shape.anyOf) return readUnion(shape.anyOf, value)
  const types = [shape.type ?? []].flat()
  if (typeof value === 'string') return readText(types, value)
  if (typeof value === 'number' && types.includes('boolean')) return BOOLEANS[value] ?? value
  if (typeof value !== 'object' || value === null) return value
  const list = types.includes('array') ? listOf(value) : undefined
  if (list) return shape.items === undefined ? list : list.map((item) => read(shape.items as Shape, item))
  if (!types.includes('object') || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, read(shapeOf(shape, name), field)]))
}

function readUnion(options: readonly Shape[], value: unknown): unknown {
  if (value === '' && options.some(({ type }) => [type].flat().includes('null'))) return null
  for (const option of options) {
    const candidate = read(option, value)
    if (Value.Check(option as TSchema, candidate)) return candidate
  }
  return value
}

function readText(types: readonly string[], text: string): unknown {
  if (types.includes('string')) return text === '' && types.includes('null') ? null : text
  if (text === '') return types.includes('null') ? null : types.includes('array') ? [] : types.includes('object') ? {} : text
  if (types.includes('boolean') && Object.hasOwn(BOOLEANS, text)) return BOOLEANS[text]
  if (types.includes('integer') && WHOLE.test(text)) return Number(text)
  if (types.includes('number') && DECIMAL.test(text)) return Number(text)
  return text
}

/** `{0: a, 1: b}` as forms write it, or a list; undefined for anything else. */
function listOf(value: object): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  const keys = Object.keys(value)
  const isList = keys.length > 0 && keys.every((key) => /^(0|[1-9]\d{0,3})$/.test(key) && Number(key) < keys.length)
  return isList ? keys.toSorted((a, b) => Number(a) - Number(b)).map((key) => (value as Record<string, unknown>)[key]) : undefined
}

function shapeOf({ properties, patternProperties, additionalProperties }: Shape, name: string): Shape {
  const own = properties && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (own) return own
  const pattern = Object.entries(patternProperties ?? {}).find(([text]) => new RegExp(text, 'u').test(name))
  if (pattern) return pattern[1]
  return typeof additionalProperties === 'object' ? additionalProperties : {}
}
