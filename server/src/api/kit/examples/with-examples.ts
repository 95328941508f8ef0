import { Check } from 'typebox/schema'
import { exampleOf } from './example-of.ts'
import { WRITTEN } from './written.ts'

type Json = Readonly<Record<string, unknown>>

/** Responses that are no JSON. */
const TEXTS: Readonly<Record<string, string>> = {
  'text/csv': 'created_at,application,status\n2026-03-02T09:30:00.000Z,support,200\n',
  'application/x-ndjson': '{"id": "aud_01m3x8k5v7fqt9w2c4n6h0r1sz", "object": "audit_record"}\n',
  'application/yaml': 'name: acme\nrules: []\n',
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
  'application/octet-stream': '(the bytes of the file)',
}

interface Media {
  readonly schema: Json
}

/** Adds an example to each body and each successful response: one that is written by hand, or one made from the schema. */
export function withExamples<D extends { readonly paths?: object }>(document: D): D {
  const find = (reference: string): Json =>
    reference
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((value, key) => (value as Json)[key], document) as Json
  const paths = mapValues(document.paths as Json, (operations) =>
    mapValues(operations as Json, (operation) => operationWithExamples(operation as Json, find)),
  )
  return { ...document, paths }
}

function operationWithExamples(operation: Json, find: (reference: string) => Json): Json {
  const { operationId, requestBody, responses } = operation
  const written = WRITTEN[String(operationId)] ?? {}
  const bodies = (content: Json, isRequest: boolean, example: unknown): Json =>
    mapValues(content, (media, type) => {
      const chosen = type === 'text/event-stream' ? written.events : example
      return withExample(media as Media, type, { isRequest, example: chosen, find })
    })
  return {
    ...operation,
    ...(isObject(requestBody) && {
      requestBody: { ...requestBody, content: bodies(requestBody.content as Json, true, written.request) },
    }),
    responses: mapValues((responses ?? {}) as Json, (response, status) => {
      if (!status.startsWith('2') || !isObject(response) || !isObject(response.content)) return response
      return { ...response, content: bodies(response.content, false, written.response) }
    }),
  }
}

interface Use {
  readonly isRequest: boolean
  readonly example: unknown
  readonly find: (reference: string) => Json
}

function withExample(media: Media, type: string, { isRequest, example, find }: Use): Json {
  if (type in TEXTS) return { ...media, example: TEXTS[type] }
  if (example !== undefined && !type.startsWith('multipart')) return { ...media, example }
  const fits = (schema: Json, value: unknown): boolean => Check(localSchema(schema, find), value)
  return {
    ...media,
    example: exampleOf(media.schema, { name: '', owner: '', isComponent: false, isRequest, find, fits, depth: 0 }),
  }
}

/** A schema with its references replaced, to check values. */
function localSchema(schema: Json, find: (reference: string) => Json): Json {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (!isObject(value)) return value
    const { $ref, ...others } = value
    return typeof $ref === 'string' ? resolve({ ...find($ref), ...others }) : mapValues(value, resolve)
  }
  return resolve(schema) as Json
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = (object: Json, map: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))
