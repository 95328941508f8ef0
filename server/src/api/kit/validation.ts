import type { FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { isStorable } from '../../platform/lib/fields.ts'
import { checker, type Problem } from '../../platform/lib/schema.ts'
import { invalid, notFound } from '../../shared/refusals.ts'
import { SECONDS } from '../../shared/schemas.ts'
import { coerce } from './coerce.ts'
import { RepeatedText } from './form-decoder.ts'

/**
 * Fastify validator for JSON APIs: integers of the query are converted, bodies are not. An invalid path parameter names no
 * resource, so it gets 404.
 */
export const checkRequests: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = checker(schema)
  return (value: unknown) => {
    const checked = check(httpPart === 'querystring' ? withNumbers(schema, value) : value)
    if (!checked.ok) return { error: httpPart === 'params' ? notFound() : invalid(checked.problem) }
    const unstorable = httpPart === 'querystring' ? unstorableIn(checked.value) : undefined
    return unstorable === undefined ? { value: checked.value } : { error: invalid(unstorableText(unstorable)) }
  }
}

interface Typed {
  readonly type?: unknown
  readonly anyOf?: readonly Typed[]
}

const takesIntegers = (schema: Typed | undefined): boolean =>
  schema?.type === 'integer' || schema?.anyOf?.some(takesIntegers) === true

function withNumbers(schema: TSchema, query: unknown): unknown {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, Typed>> }
  const converted = Object.entries(query as Record<string, unknown>).map(([name, value]) => {
    const isInteger = takesIntegers(properties[name]) && typeof value === 'string' && /^-?\d{1,15}$/.test(value)
    return [name, isInteger ? Number(value) : value]
  })
  return Object.fromEntries(converted)
}

/**
 * Reads form bodies, JSON bodies and queries of APIs that accept forms: texts are converted to the types of the schema. The reader
 * throws a 400 that names the field.
 */
export function reader<S extends TSchema>(schema: S): (value: unknown) => Static<S> {
  const check = checker(schema)
  return (value) => {
    const coerced = coerce(schema, value ?? {})
    const repeated = repeatedIn(coerced)
    if (repeated !== undefined) throw invalid({ param: repeated, message: 'must not be given more than once' })
    const checked = check(coerced)
    if (!checked.ok) throw invalid(withUnit(schema, checked.problem, coerced))
    const param = unstorableIn(checked.value)
    if (param !== undefined) throw invalid(unstorableText(param))
    return checked.value
  }
}

/** The name of the first field that is repeated and not a list. */
const repeatedIn = (fields: unknown): string | undefined =>
  Object.entries(fields as Record<string, unknown>).find(([, value]) => holdsRepeated(value))?.[0]

const holdsRepeated = (value: unknown): boolean =>
  value instanceof RepeatedText || (typeof value === 'object' && value !== null && Object.values(value).some(holdsRepeated))

/** Larger times are in milliseconds, or after the year 5000. */
const LAST_SECOND = 99_999_999_999

/** Adds the unit to the problem of a time. */
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

const unstorableText = (param: string): Problem => ({ param, message: 'must not contain U+0000 or unpaired surrogates' })

/** The name of the first field with a text that PostgreSQL cannot store. */
const unstorableIn = (fields: unknown): string | undefined =>
  Object.entries(fields as Record<string, unknown>).find(([name, value]) => !isStorable(name) || !holdsStorable(value))?.[0]

function holdsStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, item]) => isStorable(name) && holdsStorable(item))
}
