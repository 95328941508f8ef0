import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { isStorable } from '../../platform/lib/fields.ts'
import { type Checked, checker, type Problem } from '../../platform/lib/schema.ts'
import { invalid, notFound } from '../../shared/request-errors.ts'
import { SECONDS } from '../../shared/schemas.ts'
import { isForm, RepeatedText } from './form-decoder.ts'

interface Shape {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly [SECONDS]?: true
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ true: true, on: true, yes: true, 1: true },
  ...{ false: false, off: false, no: false, 0: false },
}
/** ISO 8601 in common forms. Without an offset it is UTC. */
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i
/** A TypeID. It contains no comma, so that a text can be a list of ids. */
const TYPE_ID = /^[a-z]{2,8}_[0-9a-z]{26}$/
const WHOLE = /^-?\d{1,15}$/
const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/

/**
 * Converts texts to the types of the schema, so that forms, queries and JSON have the same meaning: booleans (`true`, `on`, `1`),
 * numbers, dates to seconds, and the empty text to null, an empty list or an empty map. In a form, a text for a list is a list of one,
 * or of ids separated by commas. Other values stay unchanged, and the check that follows refuses them.
 */
export const coerce = (schema: TSchema, value: unknown): unknown => read(schema as Shape, value, isForm(value))

function read(shape: Shape, value: unknown, inForm: boolean): unknown {
  if (shape.anyOf) return readUnion(shape.anyOf, value, inForm)
  const types = [shape.type ?? []].flat()
  if (inForm && typeof value === 'string' && value !== '' && types.includes('array') && !types.includes('string'))
    return read(shape, listIn(value), inForm)
  if (typeof value === 'string') return shape[SECONDS] ? (secondsIn(value) ?? readText(types, value)) : readText(types, value)
  if (typeof value === 'number' && types.includes('boolean')) return BOOLEANS[value] ?? value
  if (typeof value !== 'object' || value === null) return value
  const list = types.includes('array') ? listOf(value) : undefined
  if (list) return shape.items === undefined ? list : list.map((item) => read(shape.items as Shape, item, inForm))
  if (!types.includes('object') || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, read(shapeOf(shape, name), field, inForm)]))
}

function readUnion(options: readonly Shape[], value: unknown, inForm: boolean): unknown {
  if (value === '' && options.some(({ type }) => [type].flat().includes('null'))) return null
  for (const option of options) {
    const candidate = read(option, value, inForm)
    if (Value.Check(option as TSchema, candidate)) return candidate
  }
  return value
}

function readText(types: readonly string[], text: string): unknown {
  if (types.includes('string')) return text === '' && types.includes('null') ? null : text
  if (text === '') return types.includes('null') ? null : types.includes('array') ? [] : types.includes('object') ? {} : text
  if (types.includes('boolean') && Object.hasOwn(BOOLEANS, text.toLowerCase())) return BOOLEANS[text.toLowerCase()]
  if (types.includes('integer') && WHOLE.test(text)) return Number(text)
  if (types.includes('number') && DECIMAL.test(text)) return Number(text)
  return text
}

const listIn = (text: string): readonly string[] => {
  const parts = text.split(',')
  return parts.length > 1 && parts.every((part) => TYPE_ID.test(part)) ? parts : [text]
}

function secondsIn(text: string): number | undefined {
  const match = ISO_DATE.exec(text)
  if (!match) return undefined
  // Without an offset, JavaScript reads a date with a time as local time.
  const zone = match[1] === undefined && text.length > 10 ? 'Z' : ''
  const time = Date.parse(text.replace(' ', 'T').replace(',', '.') + zone)
  return Number.isNaN(time) ? undefined : Math.floor(time / 1_000)
}

/** A list, or the form notation `{0: a, 1: b}`; undefined for other values. */
function listOf(value: object): readonly unknown[] | undefined {
  if (Array.isArray(value)) return Array.from(value)
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

type Validator = FastifySchemaCompiler<TSchema>

/** Texts in the `coerced` parts become the types of the schema. An invalid path parameter names no resource, so it gets 404. */
const validator =
  (coerced: readonly (string | undefined)[]): Validator =>
  ({ schema, httpPart }) => {
    const check = checker(schema)
    if (!coerced.includes(httpPart)) {
      return (value: unknown) => {
        const checked = check(value)
        return checked.ok ? { value } : { error: httpPart === 'params' ? notFound() : invalid(checked.problem) }
      }
    }
    return (given: unknown) => {
      const value = coerce(schema, given ?? {})
      const problem = problemOf(schema, value, check(value))
      return problem ? { error: invalid(problem) } : { value }
    }
  }

export const checkJson = validator(['querystring'])

export const checkForms = validator(['querystring', 'body'])

/** Leaves the body to the handler, which checks it while it reads it. */
export const checkAllButBody: Validator = (part) => (part.httpPart === 'body' ? unchecked : checkJson(part))

/** Leaves everything to the handler: the schemas are documentation. */
export const checkNothing: Validator = () => unchecked

const unchecked = (value: unknown) => ({ value })

function problemOf(schema: TSchema, value: unknown, checked: Checked<unknown>): Problem | undefined {
  const repeated = repeatedIn(value)
  if (repeated !== undefined) return { param: repeated, message: 'must not be given more than once' }
  if (!checked.ok) return withUnit(schema, checked.problem, value)
  const param = unstorableIn(value)
  return param === undefined ? undefined : { param, message: 'must not contain U+0000 or unpaired surrogates' }
}

const repeatedIn = (fields: unknown): string | undefined =>
  Object.entries(fields as Record<string, unknown>).find(([, value]) => holdsRepeated(value))?.[0]

const holdsRepeated = (value: unknown): boolean =>
  value instanceof RepeatedText || (typeof value === 'object' && value !== null && Object.values(value).some(holdsRepeated))

/** Larger times are in milliseconds, or after the year 5000. */
const LAST_SECOND = 99_999_999_999

function withUnit(schema: TSchema, problem: Problem, fields: unknown): Problem {
  if (!isTime((schema as { properties?: Record<string, unknown> }).properties?.[problem.param])) return problem
  const given = (fields as Record<string, unknown>)[problem.param]
  const isMilliseconds = /^\d+$/.test(String(given)) && Number(given) > LAST_SECOND
  const hint = isMilliseconds ? ': this looks like milliseconds' : ', or an ISO 8601 date'
  return { ...problem, message: `must be Unix time in seconds${hint}` }
}

const isTime = (shape: unknown): boolean =>
  typeof shape === 'object' &&
  shape !== null &&
  (SECONDS in shape || ('anyOf' in shape && Array.isArray(shape.anyOf) && shape.anyOf.some(isTime)))

/** The name of the first field with a text that PostgreSQL cannot store. */
const unstorableIn = (fields: unknown): string | undefined =>
  Object.entries(fields as Record<string, unknown>).find(([name, value]) => !isStorable(name) || !holdsStorable(value))?.[0]

function holdsStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, item]) => isStorable(name) && holdsStorable(item))
}
