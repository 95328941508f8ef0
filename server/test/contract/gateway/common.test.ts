import { describe, expect, test } from 'vitest'
import { CHAT, ENDPOINTS, expectError, expectSuccess, REQUEST_ID } from '../../support/gateway-client.ts'
import { parseResponse, sendBytes } from '../../support/raw-http.ts'
import { governed } from '../shared-server.ts'

describe('common rules', () => {
  test('x-request-id on every response: success, refusals, unknown routes, streams, health [API-HTTP-4]', async () => {
    const responses = await Promise.all([
      ...ENDPOINTS.map(({ method, path, json }) => governed.api(method, path, { json })),
      ...ENDPOINTS.map(({ method, path, json }) => governed.api(method, path, { json, token: null })),
      governed.chat('juniper-deny'),
      governed.chat('Good morning', { stream: true }),
      governed.chat('juniper-deny', { stream: true }),
      governed.post(CHAT, undefined, { raw: '{' }),
      ...['/nothing', '/%', '/healthz', '/readyz', '/metrics', '/openapi.json', '/admin/v1/applications', '/'].map((path) =>
        governed.api('GET', path),
      ),
    ])
    for (const { headers } of responses) expect(headers.get('x-request-id')).toMatch(REQUEST_ID)
    expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(responses.length)
  })
  test("the client's own x-request-id is kept when it has 1 to 128 characters of [A-Za-z0-9._-] [API-HTTP-4]", async () => {
    const echoed = async (id: string) =>
      (await governed.api('GET', '/v1/models', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
    for (const id of ['a', 'my-id.1_X', 'x'.repeat(128)]) expect(await echoed(id)).toBe(id)
    for (const id of ['x'.repeat(129), 'bad id!', 'a,b', 'ä']) expect(await echoed(id)).not.toBe(id)
  })
  test('malformed HTTP gets the error envelope and a request id [API-ERR-1]', async () => {
    const answer = parseResponse(await sendBytes(governed.base, 'this is no HTTP\r\n\r\n'))
    if (!answer) throw new Error('no answer')
    expectError(answer, 'VALIDATION_ERROR')
  })
  test('duplicate fields are accepted [API-BODY-1]', async () => {
    expectSuccess(await governed.post(CHAT, undefined, { raw: '{"messages":[],"messages":[{"role":"user","content":"x"}]}' }))
  })
  test.each(['__proto__', 'constructor'])('the key %s is refused at any depth [API-BODY-2]', async (key) => {
    for (const inner of [
      `"${key}":{"a":1}`,
      `"metadata":{"a":[{"${key}":1}]}`,
      `"governance":{"user":{"id":"a","attributes":{"${key}":1}}}`,
    ]) {
      const raw = `{"messages":[{"role":"user","content":"x"}],${inner}}`
      expect(expectError(await governed.post(CHAT, undefined, { raw }), 'VALIDATION_ERROR').message).toContain(key)
    }
  })
  test('a body that is not UTF-8 is 400, and a declared charset changes nothing [API-BODY-6]', async () => {
    const raw = Buffer.from('{"messages":[{"role":"user","content":"caf\xe9"}]}', 'latin1')
    for (const type of ['application/json', 'application/json; charset=latin1']) {
      expectError(await governed.post(CHAT, undefined, { raw, headers: { 'content-type': type } }), 'VALIDATION_ERROR')
    }
  })
  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
    'content type %s is accepted as JSON',
    async (type) => {
      expectSuccess(
        await governed.post(CHAT, { messages: [{ role: 'user', content: 'x' }] }, { headers: { 'content-type': type } }),
      )
    },
  )
  test('ids are prefixed, time-ordered and URL-safe [API-HTTP-5]', async () => {
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push(expectSuccess(await governed.chat('Good morning')).governance.audit_id)
    for (const id of ids) expect(id).toMatch(/^aud_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(ids.toSorted()).toEqual(ids)
  })
  test('ids are stored as UUIDv7 [API-HTTP-5]', async () => {
    const { rows } = await governed.server.context.database.pool.query('select id from audit_record limit 20')
    for (const { id } of rows) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
  test('x-should-retry: false on 403, 409, 410 and 422, and on no other status [GW-RETRY-1]', async () => {
    const retry = async (prompt: string, more = {}) => {
      const { status, headers } = await governed.chat(prompt, more)
      return [status, headers.get('x-should-retry')]
    }
    expect(await retry('juniper-deny')).toEqual([403, 'false'])
    expect(await retry('juniper-hold')).toEqual([409, 'false'])
    expect(await retry('x', { model: 'none' })).toEqual([422, 'false'])
    expect(await retry('Good morning')).toEqual([200, null])
    expect(await retry('x', { temperature: 'hot' })).toEqual([400, null])
  })
})

describe('common rules: further codes', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx', 'nonsense'])(
    'UNSUPPORTED_MEDIA_TYPE 415: %s [API-BODY-5, API-ERR-10]',
    async (type) => {
      expectError(
        await governed.post(CHAT, undefined, { raw: '{}', headers: { 'content-type': type } }),
        'UNSUPPORTED_MEDIA_TYPE',
      )
    },
  )
  test.each([
    ['GET', CHAT, 'POST'],
    ['DELETE', CHAT, 'POST'],
    ['POST', '/v1/models', 'GET'],
    ['PUT', '/v1/audit/aud_x', 'GET'],
    ['PATCH', '/v1/memory/capture', 'POST'],
  ])('METHOD_NOT_ALLOWED 405: %s %s, with Allow [API-HTTP-3, API-ERR-7]', async (method, path, allow) => {
    const response = await governed.api(method, path)
    expectError(response, 'METHOD_NOT_ALLOWED')
    expect(response.headers.get('allow')?.split(', ')).toContain(allow)
  })
  test.each(['/v1/nothing', '/v1', '/v2/models', '/v1/chat', '/%', '/v1/audit/%E0%A4%A'])(
    'unknown route %s: 404 NOT_FOUND in the envelope [API-HTTP-3, API-ERR-7]',
    async (path) => {
      expectError(await governed.api('GET', path), 'NOT_FOUND')
    },
  )
})
