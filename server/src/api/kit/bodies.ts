import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GatehouseError } from '../../errors.ts'
import { parseJson } from '../../platform/lib/json.ts'
import { type FormPair, formOfPairs, parseForm } from './form-decoder.ts'

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
const FORM_TYPE = /^application\/x-www-form-urlencoded\b/i
const MULTIPART_TYPE = /^multipart\/form-data\b/i
const YAML_TYPE = /^(?:application|text)\/(?:x-)?yaml\b/i
const FILE_TYPE =
  /^(?:text\/|message\/rfc822|application\/(?:octet-stream|pdf|x-ndjson|jsonl|xhtml\+xml|vnd\.openxmlformats-officedocument\.))/i

/** Largest file in bytes. knowledge/parsing has the same limit. */
const FILE_BYTES = 25 * 1_048_576

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly param?: string }

/** JSON bodies as bytes: the gateway parses them after authentication. All other content types get 415. */
export function readRawJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

/** JSON bodies; an empty one is undefined. All other content types get 415. */
export function readJsonBodies(app: FastifyInstance, jsonDepth: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(JSON_TYPE, { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    readJson(body, jsonDepth),
  )
}

/** Bodies in UTF-8 as JSON, urlencoded form or multipart form without files; an empty one is `{}`. Others get 415. */
export function readFormBodies(app: FastifyInstance, jsonDepth: number): void {
  app.removeAllContentTypeParsers()
  const add = (type: RegExp, parse: (bytes: Buffer, contentType: string) => Parsed | Promise<Parsed>): void => {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, async ({ headers }: FastifyRequest, body: Buffer) => {
      const contentType = headers['content-type'] ?? ''
      if (!declaresUtf8(contentType))
        throw new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message: 'The charset must be utf-8.' })
      return body.length === 0 ? {} : parsedValue(await parse(body, contentType))
    })
  }
  add(JSON_TYPE, (bytes) => parseJson(bytes, jsonDepth))
  add(FORM_TYPE, parseForm)
  add(MULTIPART_TYPE, parseMultipart)
}

export function readYamlBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  app.addContentTypeParser<Buffer>(YAML_TYPE, { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => {
    try {
      return decoder.decode(body)
    } catch {
      throw new GatehouseError('VALIDATION_ERROR', { message: 'The body must be UTF-8.' })
    }
  })
}

/** In the routes of `app`: with `?key=` the body is a file, as bytes; otherwise JSON. */
export function readFileBodies(app: FastifyInstance, sizes: { readonly jsonDepth: number; readonly jsonBytes: number }): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer' as const, bodyLimit: FILE_BYTES }
  const isFile = ({ query }: FastifyRequest): boolean => (query as { key?: unknown }).key !== undefined
  app.addContentTypeParser<Buffer>(JSON_TYPE, options, async (request: FastifyRequest, body: Buffer) => {
    if (isFile(request)) return body
    if (body.length > sizes.jsonBytes) throw new GatehouseError('PAYLOAD_TOO_LARGE')
    return readJson(body, sizes.jsonDepth)
  })
  app.addContentTypeParser<Buffer>(FILE_TYPE, options, async (request: FastifyRequest, body: Buffer) => {
    if (isFile(request)) return body
    throw new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message: 'A file requires the query parameter `key`.' })
  })
}

/** `preValidation` of routes whose body has no required fields: clients may leave it out. */
export const bodyOptional = async (request: FastifyRequest): Promise<void> => {
  if (request.body === undefined) request.body = {}
}

/** An empty body is none: many clients always send a content type. */
const readJson = (body: Buffer, depth: number): unknown => (body.length === 0 ? undefined : parsedValue(parseJson(body, depth)))

function parsedValue(parsed: Parsed): unknown {
  if (parsed.ok) return parsed.value
  throw new GatehouseError('VALIDATION_ERROR', { message: parsed.problem, ...(parsed.param && { param: parsed.param }) })
}

function declaresUtf8(contentType: string): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType) ?? []
  return charset === undefined || /^utf-?8$/i.test(charset)
}

/** The text fields of a `multipart/form-data` body without files, in order (RFC 7578). Never rejects. */
async function parseMultipart(bytes: Buffer, contentType: string): Promise<Parsed> {
  const parse = () => new Response(bytes as Buffer<ArrayBuffer>, { headers: { 'content-type': contentType } }).formData()
  const form = await Promise.try(parse).catch(() => undefined)
  if (!form) return { ok: false, problem: 'The body must be a well-formed, complete multipart form with a boundary.' }
  const pairs: FormPair[] = []
  for (const [name, value] of form) {
    if (typeof value !== 'string')
      return { ok: false, problem: `${name}: must not be a file. Upload files with POST /v1/attachments.`, param: name }
    pairs.push({ name, value })
  }
  // `formData` replaces invalid bytes silently.
  return isUtf8(bytes) ? formOfPairs(pairs) : { ok: false, problem: 'The form is not UTF-8.' }
}
