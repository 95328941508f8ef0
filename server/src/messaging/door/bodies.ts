import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { isStorable } from '../../applications/shapes.ts'
import { GatehouseError } from '../../errors.ts'
import { parseJson } from '../../lib/json.ts'
import { checker } from '../../lib/schema.ts'
import { coerce } from './coerce.ts'
import { parseForm } from './form-decoder.ts'
import { invalid } from './refusals.ts'

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly param?: string }

/** Bodies are forms or JSON, in UTF-8: 415 for everything else. */
export function readBodies(app: FastifyInstance, jsonDepth: number): void {
  app.removeAllContentTypeParsers()
  const add = (type: RegExp | string, parse: (bytes: Buffer) => Parsed): void => {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, body, done) => {
      if (!isUtf8(request)) return done(new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message: 'The charset must be utf-8.' }))
      // An empty body is none, whatever its content type says: clients name one out of habit.
      const parsed = body.length === 0 ? { ok: true as const, value: {} } : parse(body)
      if (parsed.ok) return done(null, parsed.value)
      done(new GatehouseError('VALIDATION_ERROR', { message: parsed.problem, ...(parsed.param && { param: parsed.param }) }))
    })
  }
  add(/^application\/(?:[\w.-]+\+)?json\b/i, (bytes) => parseJson(bytes, jsonDepth))
  add(/^application\/x-www-form-urlencoded\b/i, parseForm)
}

function isUtf8({ headers }: FastifyRequest): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '') ?? []
  return charset === undefined || /^utf-?8$/i.test(charset)
}

/** Reads bodies or queries as the schema has them. The reader throws a 400 that names the field. */
export function reader<S extends TSchema>(schema: S): (value: unknown) => Static<S> {
  const check = checker(schema)
  return (value) => {
    const checked = check(coerce(schema, value ?? {}))
    if (!checked.ok) throw invalid(checked.problem)
    const param = unstorable(checked.value)
    if (param !== undefined) throw invalid({ param, message: 'must not hold U+0000 or unpaired surrogates' })
    return checked.value
  }
}

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
