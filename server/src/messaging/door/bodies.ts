import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { isStorable } from '../../applications/shapes.ts'
import { GatehouseError } from '../../errors.ts'
import { parseJson } from '../../lib/json.ts'
import { checker, type Problem } from '../../lib/schema.ts'
import { coerce, SECONDS } from './coerce.ts'
import { formOfPairs, parseForm, RepeatedText } from './form-decoder.ts'
import { parseMultipart } from './multipart.ts'
import { invalid } from './refusals.ts'

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly param?: string }

/** Bodies are forms, as urlencoded or as multipart without files, or JSON, in UTF-8: 415 for everything else. */
export function readBodies(app: FastifyInstance, jsonDepth: number): void {
  app.removeAllContentTypeParsers()
  const add = (type: RegExp | string, parse: (bytes: Buffer, contentType: string) => Parsed): void => {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, body, done) => {
      if (!isUtf8(request)) return done(new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message: 'The charset must be utf-8.' }))
      // An empty body is none, whatever its content type says: clients name one out of habit.
      const parsed = body.length === 0 ? { ok: true as const, value: {} } : parse(body, request.headers['content-type'] ?? '')
      if (parsed.ok) return done(null, parsed.value)
      done(new GatehouseError('VALIDATION_ERROR', { message: parsed.problem, ...(parsed.param && { param: parsed.param }) }))
    })
  }
  add(/^application\/(?:[\w.-]+\+)?json\b/i, (bytes) => parseJson(bytes, jsonDepth))
  add(/^application\/x-www-form-urlencoded\b/i, (bytes) => parseForm(bytes, { repeats: true }))
  add(/^multipart\/form-data\b/i, (bytes, contentType) => {
    const parsed = parseMultipart(bytes, contentType)
    return parsed.ok ? formOfPairs(parsed.pairs, { repeats: true }) : parsed
  })
}

function isUtf8({ headers }: FastifyRequest): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '') ?? []
  return charset === undefined || /^utf-?8$/i.test(charset)
}

/** Reads bodies or queries as the schema has them. The reader throws a 400 that names the field. */
export function reader<S extends TSchema>(schema: S): (value: unknown) => Static<S> {
  const check = checker(schema)
  return (value) => {
    const coerced = coerce(schema, value ?? {})
    const repeated = repeatedIn(coerced)
    if (repeated !== undefined) throw invalid({ param: repeated, message: 'is given more than once' })
    const checked = check(coerced)
    if (!checked.ok) throw invalid(withUnit(schema, checked.problem, coerced))
    const param = unstorable(checked.value)
    if (param !== undefined) throw invalid({ param, message: 'must not hold U+0000 or unpaired surrogates' })
    return checked.value
  }
}

/** The name of the first field that was repeated though it is no list. */
const repeatedIn = (fields: unknown): string | undefined =>
  Object.entries(fields as Record<string, unknown>).find(([, value]) => holdsRepeated(value))?.[0]

const holdsRepeated = (value: unknown): boolean =>
  value instanceof RepeatedText || (typeof value === 'object' && value !== null && Object.values(value).some(holdsRepeated))

/** Times later than this are in milliseconds, or beyond the year 5000. */
const LAST_SECOND = 99_999_999_999

/** What is wrong with a time says in which unit it has to be. */
function withUnit(schema: TSchema, problem: Problem, fields: unknown): Problem {
  if (!isTime((schema as { properties?: Record<string, unknown> }).properties?.[problem.param])) return problem
  const given = (fields as Record<string, unknown>)[problem.param]
  const isMilliseconds = /^\d+$/.test(String(given)) && Number(given) > LAST_SECOND
  const hint = isMilliseconds ? ': this looks like milliseconds' : ', or a date as in ISO 8601'
  return { ...problem, message: `must be Unix time in seconds${hint}` }
}

const isTime = (shape: unknown): boolean =>
  typeof shape === 'object' &&
  shape !== null &&
  (SECONDS in shape || ('anyOf' in shape && Array.isArray(shape.anyOf) && shape.anyOf.some(isTime)))

/** The name of the first field with a text that PostgreSQL cannot hold. */
function unstorable(fields: unknown): string | undefined {
  return Object.entries(fields as Record<string, unknown>).find(
    ([name, value]) => !isStorable(name) || !holdsStorable(value),
  )?.[0]
}

function holdsStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, item]) => isStorable(name) && holdsStorable(item))
}
