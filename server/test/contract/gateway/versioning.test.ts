import { describe, expect, test } from 'vitest'
import { VERSION } from '../../../src/version.ts'
import { CHAT, ENDPOINTS, expectSuccess } from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

type Operation = { readonly responses: Readonly<Record<string, unknown>> }
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

describe('endpoints and versions', () => {
  test('all paths have the prefix /v1; only chat, embeddings and models also work without it [API-HTTP-2, GW-PATH-7]', async () => {
    for (const { method, path, json, name } of ENDPOINTS) {
      const { status } = await governed.api(method, path.replace('/v1', ''), { json })
      expect([name, status]).toEqual([name, ['chat', 'embeddings', 'models'].includes(name) ? 200 : 404])
    }
  })
  test('the interface description is OpenAPI 3.1 and has both APIs, each operation with its errors [API-HTTP-1, GW-PATH-8]', async () => {
    const document = expectSuccess(await governed.api('GET', '/openapi.json', { token: null }))
    expect((document.info as { version: string }).version).toBe(VERSION)
    expect(document.openapi).toMatch(/^3\.1\./)
    const statuses = (method: string, path: string) =>
      Object.keys((document.paths as Paths)[path]?.[method]?.responses ?? {}).map(Number)
    expect(statuses('post', CHAT)).toEqual(expect.arrayContaining([200, 400, 401, 403, 409, 410, 422, 429, 502, 504]))
    expect(statuses('get', '/v1/models')).toEqual(expect.arrayContaining([200, 401]))
    expect(statuses('post', '/v1/knowledge/search')).toEqual(expect.arrayContaining([200, 400, 401, 429]))
    expect(statuses('post', '/v1/memory/search')).toEqual(expect.arrayContaining([200, 400, 401, 429]))
    expect(statuses('post', '/v1/memory/capture')).toEqual(expect.arrayContaining([200, 400, 401, 403, 429]))
    for (const path of ['/v1/conversations', '/v1/messages']) expect(statuses('post', path)).toContain(201)
    expect(statuses('get', '/v1/audit/{id}')).toEqual(expect.arrayContaining([200, 401, 404]))
  })
})
