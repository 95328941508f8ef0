import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { componentAt } from '../support/openapi.ts'
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

test('OpenAPI: every reference leads to a component, and every component has a reference', () => {
  const references = new Set([...objectsIn(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])))
  expect([...references].filter((reference) => componentAt(document, reference) === undefined)).toEqual([])
  const { securitySchemes: _, ...sections } = document.components as Readonly<Record<string, Json>>
  const components = Object.entries(sections).flatMap(([section, parts]) =>
    Object.keys(parts).map((name) => `#/components/${section}/${name}`),
  )
  expect(components.filter((component) => !references.has(component))).toEqual([])
})
