import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import type { Json } from '../admin/client.ts'
import { createMembers } from '../messaging/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'
import { withoutReferences } from '../support/openapi.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())
const knowledge = await createKnowledgeFixture(governed)
const memory = await createMemoryFixture(governed)
await knowledge.put('Alpha beta 上海 신청서 INC-4711')
await memory.store('Alpha beta 上海 신청서 INC-4711')
const { ann, ben } = await createMembers(governed.server, ['ann', 'ben'])
const chat = await ann.create('/conversations', { contact_id: ben.id })
await ann.create('/messages', { conversation_id: chat.id, message: 'Alpha beta 上海 신청서 INC-4711' })

/** Characters and words that a parser of queries may read as syntax, or a database refuse. */
const ATOMS = [
  ...['-', '|', '&', '!', '(', ')', '<', '>', ':', '*', '%', '_', '\\', "'", '"', '`', ';', '/', '.', '@', '+', '#', '’', '…'],
  ...[' ', '\n', '\t', '\0', '\u0007', '\ud800', '\udc00', '\u00ad', '\u200b', '\u200d', '\u202e', '\ufeff', '\u0301', '\u3099'],
  ...['or', 'OR', 'and', 'not', 'null', '<->', '<2>', ':*', '!!', '::tsquery', '$1', '--', '/*', 'E\\', '|---|', '-"', '"-'],
  ...'a İ ß ﬁ ① ½ １ 上 上海 신 신청서를 サー ー ไท 𐐨 🦊 👩‍👩‍👧 INC-4711'.split(' '),
  "o'neil",
  'x'.repeat(300),
]
const atoms = fc.constantFrom(...ATOMS)
const queries = fc
  .oneof(
    fc.array(atoms, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.tuple(atoms, fc.integer({ min: 1, max: 1_000 })).map(([atom, times]) => atom.repeat(times)),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes)),
  )
  .map((query) => query.slice(0, 1_000))

const RUNS = inject('isFull') ? 1_000 : 250

describe('queries', () => {
  const statusOf: Readonly<Record<string, (query: string) => Promise<number>>> = {
    'knowledge search': async (query) => (await knowledge.search(query)).status,
    'memory search': async (query) => (await memory.search(query)).status,
    'search as a user': async (query) => {
      const json = { query, application_id: knowledge.id }
      return (await governed.admin('POST', '/knowledge/search', { json })).status
    },
    'message search': async (query) => (await ann.send('GET', `/messages/search?q=${encoded(query)}`)).status,
  }
  test.each(Object.entries(statusOf))(
    '%s: response is 200 or 400 when the query is random',
    { timeout: 300_000 },
    async (_, send) => {
      await fc.assert(
        fc.asyncProperty(queries, async (query) => {
          expect([200, 400]).toContain(await send(query))
        }),
        { numRuns: RUNS },
      )
    },
  )

  test.each(Object.entries(statusOf))(
    '%s: response is no 500 when the query has 100,000 characters',
    { timeout: 120_000 },
    async (_, send) => {
      const units = ['-', '"', "'", '|', '|---', '\\', ':*', '!(', '東', 'a-', 'a"b ', '𐐨', '\0', '\ud800', '\u0301']
      for (const unit of units) {
        const query = unit.repeat(Math.ceil(100_000 / unit.length))
        expect(await send(query), unit).toBeLessThan(500)
      }
    },
  )

  test.each(Object.entries(statusOf))('%s: response is 200 when the query is 33 hyphens', async (_, send) => {
    expect(await send('-'.repeat(33))).toBe(200)
  })
})

/** Lone surrogates as the bytes that a careless client sends. */
const encoded = (text: string): string =>
  text.replace(/[\s\S]/gu, (character) =>
    /[\ud800-\udfff]/.test(character) && character.length === 1
      ? [...Buffer.from([0xe0 | 0x0d, 0x80 | ((character.charCodeAt(0) >> 6) & 0x3f), 0x80 | (character.charCodeAt(0) & 0x3f)])]
          .map((byte) => `%${byte.toString(16)}`)
          .join('')
      : encodeURIComponent(character),
  )

describe('lists', () => {
  interface Listing {
    readonly path: string
    readonly params: readonly string[]
  }
  const document: Json = JSON.parse(readFileSync(new URL('../../../docs/api/openapi.json', import.meta.url), 'utf8'))
  const listings: Listing[] = Object.entries<Json>(withoutReferences(document).paths).flatMap(([path, { get }]) => {
    const parameters: readonly Json[] = get?.parameters ?? []
    const params = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => String(name))
    // These two respond with a stream that does not end.
    const isStream = /\/(?:events|feed)$/.test(path)
    return params.length === 0 || path.includes('{') || isStream ? [] : [{ path, params }]
  })
  const VALUES = [
    ...['\0', 'a\0b', '\ud800', '%', "' or 1=1 --", '-'.repeat(33), '\\', '🦊', 'x'.repeat(5_000), '..', '9'.repeat(40), '-1'],
    ...['1e999', 'NaN', '2026-13-45', '__proto__'],
  ]

  test('listings: the API has filters to test', () => {
    expect(listings.length).toBeGreaterThan(15)
  })

  test.each(listings)(
    '$path: response is no 500 when a parameter has a hostile value',
    { timeout: 120_000 },
    async ({ path, params }) => {
      for (const param of params) {
        for (const value of VALUES) {
          const token = path.startsWith('/admin')
            ? governed.demo.admin_token
            : path.startsWith('/v1/responses')
              ? knowledge.token
              : ann.token
          const url = `${governed.server.base}${path}?${encoded(param)}=${encoded(value)}`
          const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
          await response.text()
          expect(response.status, `${param}=${JSON.stringify(value.slice(0, 40))}`).toBeLessThan(500)
        }
      }
    },
  )
})
