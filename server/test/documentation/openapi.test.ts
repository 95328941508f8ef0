import { Errors } from 'typebox/schema'
import { expect, test } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { componentAt, withoutReferences } from '../support/openapi.ts'
import { sharedServer } from '../support/shared-server.ts'

type Json = Readonly<Record<string, unknown>>

const server = await closeAfterAll(sharedServer())
const document = (await (await fetch(`${server.base}/openapi.json`)).json()) as Json

function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Json
  for (const item of Object.values(value)) yield* objectsIn(item)
}

test('OpenAPI: a schema is a named component when it describes an object at two places', () => {
  const places = Map.groupBy(objectsIn(document), ({ description: _, ...schema }) => JSON.stringify(schema))
  const repeated = [...places].filter(([text, { length }]) => {
    const { properties } = JSON.parse(text) as { properties?: Json }
    return length > 1 && Object.keys(properties ?? {}).length > 1
  })
  expect(repeated.map(([text]) => text)).toEqual([])
})

test('OpenAPI: bodies and responses with fields have a name', () => {
  const { paths } = document as { paths: Readonly<Record<string, Readonly<Record<string, Json>>>> }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const unnamed = operations
    .filter(({ operationId }) => operationId !== undefined)
    .filter(({ requestBody, responses }) => [...objectsIn([requestBody, responses])].some(({ properties }) => properties))
  expect(unnamed.map(({ operationId }) => operationId)).toEqual([])
})

test('OpenAPI: every body and every response has an example, which its schema accepts', () => {
  const { paths } = withoutReferences(document) as { paths: Readonly<Record<string, Readonly<Record<string, Json>>>> }
  const bodies = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
      const successful = Object.entries(responses as Json).filter(([status]) => status.startsWith('2'))
      return [['request', requestBody] as const, ...successful].flatMap(([part, body]) =>
        Object.entries((body as { content?: Readonly<Record<string, Json>> } | undefined)?.content ?? {}).map(
          ([type, media]) => ({
            place: `${method} ${path} ${part} ${type}`,
            schema: media.schema,
            example: media.example,
          }),
        ),
      )
    }),
  )
  expect(bodies.length).toBeGreaterThan(200)
  const invalid = bodies.filter(({ example, schema }) => example === undefined || !Errors(schema as Json, example)[0])
  expect(invalid.map(({ place, example, schema }) => [place, example, Errors(schema as Json, example)])).toEqual([])
})

test('OpenAPI: texts say what holds in words, without ids of the contract', () => {
  const texts = [...objectsIn(document)].flatMap(({ description, summary }) => [description, summary])
  expect(texts.filter((text) => /\b(GW|MSG|ADM|API)-[A-Z]+-\d/.test(String(text)))).toEqual([])
})

test('OpenAPI: has the version of the program, and both operations of POST /v1/messages', () => {
  const { info, paths } = document as { info: Json; paths: Readonly<Record<string, { readonly post?: Json }>> }
  expect(info.version).toBe(VERSION)
  const ids = ['/v1/messages', '/v1/messages#anthropic', '/v1/messages/count_tokens'].map(
    (path) => paths[path]?.post?.operationId,
  )
  expect(ids).toEqual(['sendMessage', 'createAnthropicMessage', 'countAnthropicTokens'])
})

test('OpenAPI: every reference leads to a component, and every component has a reference', () => {
  const references = new Set([...objectsIn(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])))
  expect([...references].filter((reference) => componentAt(document, reference) === undefined)).toEqual([])
  const { securitySchemes: _, ...sections } = document.components as Readonly<Record<string, Json>>
  const components = Object.entries(sections).flatMap(([section, parts]) =>
    Object.keys(parts).map((name) => `#/components/${section}/${name}`),
  )
  expect(components.filter((component) => !references.has(component))).toEqual([])
})
