import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { GatehouseError } from '../errors.ts'
import { parseJson } from '../lib/json.ts'
import { checker } from '../lib/schema.ts'
import { invalid, notFound } from './refusals.ts'

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i

/** JSON is read as carefully as the gateway reads it, and nothing else is read at all: 415. */
export function readBodies(app: FastifyInstance, jsonDepth: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, (_request, body, done) => readJson(body as Buffer, jsonDepth, done))
}

function readJson(body: Buffer, depth: number, done: (error: Error | null, body?: unknown) => void): void {
  // An empty body is none, whatever its content type says: clients name one out of habit.
  const json = body.length === 0 ? { ok: true as const, value: undefined } : parseJson(body, depth)
  if (json.ok) done(null, json.value)
  else done(new GatehouseError('VALIDATION_ERROR', { message: json.problem }))
}

/** Reads YAML documents as their text, in the routes of `app` only. */
export function readYamlBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  app.addContentTypeParser(/^(?:application|text)\/(?:x-)?yaml\b/i, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, decoder.decode(body as Buffer))
    } catch {
      done(new GatehouseError('VALIDATION_ERROR', { message: 'The body is not UTF-8.' }))
    }
  })
}

/** Of a file, in bytes: knowledge/parsing refuses larger ones as well. */
const FILE_BYTES = 20 * 1_048_576
const FILES = /^(?:text\/|application\/(?:octet-stream|pdf|x-ndjson|jsonl|xhtml\+xml|vnd\.openxmlformats-officedocument\.))/i

/** In the routes of `app` only: with `?key=` the body is a file, taken as its bytes; otherwise it is JSON as everywhere. */
export function readFileBodies(app: FastifyInstance, sizes: { readonly jsonDepth: number; readonly jsonBytes: number }): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer' as const, bodyLimit: FILE_BYTES }
  const isFile = ({ query }: FastifyRequest): boolean => (query as { key?: unknown }).key !== undefined
  app.addContentTypeParser<Buffer>(JSON_TYPE, options, (request, body, done) => {
    if (isFile(request)) done(null, body)
    else if (body.length > sizes.jsonBytes) done(new GatehouseError('PAYLOAD_TOO_LARGE'))
    else readJson(body, sizes.jsonDepth, done)
  })
  app.addContentTypeParser<Buffer>(FILES, options, (request, body, done) => {
    if (isFile(request)) done(null, body)
    else done(new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message: 'A file needs a key: ?key=…' }))
  })
}

/** `preValidation` of routes whose bodies have nothing that must be said: then none need be sent. */
export const bodyOptional = async (request: FastifyRequest): Promise<void> => {
  if (request.body === undefined) request.body = {}
}

/**
 * Checks what comes in against the route's schemas, in the words of lib/schema.ts. Bodies are never converted; numbers in a
 * query, which has only text, are. A path that cannot name anything is a path to nothing.
 */
export const checkRequests: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = checker(schema)
  return (value: unknown) => {
    const checked = check(httpPart === 'querystring' ? withNumbers(schema, value) : value)
    if (checked.ok) return { value: checked.value }
    return { error: httpPart === 'params' ? notFound('thing') : invalid(checked.problem) }
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
    const whole = takesIntegers(properties[name]) && typeof value === 'string' && /^-?\d{1,15}$/.test(value)
    return [name, whole ? Number(value) : value]
  })
  return Object.fromEntries(converted)
}
