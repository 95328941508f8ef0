import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { isStorable } from '../../platform/lib/fields.ts'
import { type Checked, checker, type Problem } from '../../platform/lib/schema.ts'
import { invalid, notFound } from '../../shared/request-errors.ts'
import { SECONDS } from '../../shared/schemas.ts'
import { coerce } from './coerce.ts'
import { RepeatedText } from './form-decoder.ts'

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
