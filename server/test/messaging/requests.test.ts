import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben } = await createMembers(server, ['ann', 'ben'])

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('bodies', () => {
  test.each([
    ['10,000 fields', Array.from({ length: 10_000 }, (_, i) => `f${i}=1`).join('&'), 'VALIDATION_ERROR'],
    ['deep nesting', `name${'[a]'.repeat(5_000)}=x`, 'VALIDATION_ERROR'],
    ['__proto__', 'name=a&__proto__[admin]=1', 'VALIDATION_ERROR'],
    ['bad percent-encoding', 'name=%zz', 'VALIDATION_ERROR'],
    ['bad UTF-8', 'name=%ff', 'VALIDATION_ERROR'],
    ['U+0000', 'name=a&description=%00', 'VALIDATION_ERROR'],
    ['an unknown field with U+0000 in its name', 'name=a&x%00=1', 'VALIDATION_ERROR'],
    ['more than a body may have', `name=${'a'.repeat(1_100_000)}`, 'PAYLOAD_TOO_LARGE'],
    ['nothing', '', 'VALIDATION_ERROR'],
  ] as const)('request body: form with %s is refused', async (_, raw, code) => {
    await ann.expectError(code, 'POST', '/groups', undefined, { raw, headers: FORM })
  })

  test.each([
    ['application/x-www-form-urlencoded; charset=iso-8859-1', 'name=%FC'],
    ['application/json; charset=utf-16', '{}'],
  ])('request body: request gets 415 when the content type is %s', async (type, raw) => {
    await ann.expectError('UNSUPPORTED_MEDIA_TYPE', 'POST', '/groups', undefined, { raw, headers: { 'content-type': type } })
  })

  test('request body: form is accepted when UTF-8 is spelled in another way', async () => {
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded; Charset="UTF-8"' }
    expect((await ann.send('POST', '/groups', undefined, { raw: 'name=Gr%C3%BCn', headers })).body.name).toBe('Grün')
  })

  test('response: URLs name the address of the server when the Host header names another host', async () => {
    const { body } = await ann.send('POST', '/groups', { name: 'Here' })
    expect(body.avatar_url).toBe(`${server.base}/v1/avatars/Here`)
    const reply = await server.app.inject({
      url: `/v1/contacts/${ben.id}`,
      headers: { authorization: `Bearer ${ann.token}`, host: 'evil.example"><script>' },
    })
    expect(reply.json().avatar_url).toMatch(/^http:\/\/127\.0\.0\.1(:\d+)?\/v1\/avatars\//)
  })
})

test('request path: request is refused when the path contains bytes that the database cannot store', async () => {
  await ann.expectError('NOT_FOUND', 'GET', '/contacts/%00')
  await ann.expectError('NOT_FOUND', 'GET', '/groups/%ff')
  await ann.expectError('VALIDATION_ERROR', 'GET', '/contacts?username=%00')
  await ann.expectError('METHOD_NOT_ALLOWED', 'PATCH', '/groups')
})
