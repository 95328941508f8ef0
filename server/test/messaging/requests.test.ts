import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type Member } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben } = await createMembers(server, ['ann', 'ben'])

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const groupsOf = async (person: Member): Promise<string[]> =>
  (await person.get('/groups?limit=100')).data.map(({ name }: { name: string }) => name)

describe('Idempotency-Key', () => {
  const once = () => ({ headers: { 'idempotency-key': crypto.randomUUID() } })

  test('idempotency key: repeated request gets the first response byte for byte and has no effect', async () => {
    const sending = once()
    const first = await ann.send('POST', '/groups', { name: 'Once', description: 'x' }, sending)
    await ann.put(`/groups/${first.body.id}`, { name: 'Changed since' })
    const again = await ann.send('POST', '/groups', { description: 'x', name: 'Once' }, sending)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(await ann.send('POST', '/groups', { name: 'Once', description: 'x' }, { ...sending, as: 'form' })).toMatchObject({
      text: first.text,
    })
    expect((await groupsOf(ann)).filter((name) => name === 'Once')).toEqual([])
  })

  test('idempotency key: eight concurrent requests have one effect and get the same response', async () => {
    const sending = once()
    const replies = await Promise.all(Array.from({ length: 8 }, () => ann.send('POST', '/groups', { name: 'Rush' }, sending)))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await groupsOf(ann)).filter((name) => name === 'Rush')).toHaveLength(1)
  })

  test('idempotency key: request gets 409 when body, path or method differ, and keys of other users do not count', async () => {
    const sending = once()
    const { id } = await ann.create('/groups', { name: 'Keyed' }, sending)
    await ann.expectError('CONFLICT', 'POST', '/groups', { name: 'Other' }, sending)
    await ann.expectError('CONFLICT', 'PUT', `/groups/${id}`, { name: 'Keyed' }, sending)
    expect((await ben.create('/groups', { name: 'Keyed' }, sending)).owner_id).toBe(ben.id)
  })

  test('idempotency key: key can be used again when its request was refused', async () => {
    const sending = once()
    await ann.expectError('NOT_FOUND', 'POST', '/groups', { name: 'Second try', contacts: ['absent'] }, sending)
    await ann.create('/groups', { name: 'Second try' }, sending)
  })

  test('idempotency key: request gets 400 when the key has more than 255 characters', async () => {
    await ann.expectError(
      'VALIDATION_ERROR',
      'POST',
      '/groups',
      { name: 'x' },
      { headers: { 'idempotency-key': 'k'.repeat(256) } },
    )
    await ann.create('/groups', { name: 'x' }, { headers: { 'idempotency-key': 'k'.repeat(255) } })
  })
})

describe('bodies', () => {
  test.each([
    ['a repeated scalar', 'name=a&name=b', 'VALIDATION_ERROR'],
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
    ['text/plain', 'hello'],
    ['application/xml', '<a/>'],
    ['application/x-www-form-urlencoded; charset=iso-8859-1', 'name=%FC'],
    ['application/json; charset=utf-16', '{}'],
  ])('request body: request gets 415 when the content type is %s', async (type, raw) => {
    await ann.expectError('UNSUPPORTED_MEDIA_TYPE', 'POST', '/groups', undefined, { raw, headers: { 'content-type': type } })
  })

  test('request body: form is accepted when UTF-8 is spelled in another way', async () => {
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded; Charset="UTF-8"' }
    expect((await ann.send('POST', '/groups', undefined, { raw: 'name=Gr%C3%BCn', headers })).body.name).toBe('Grün')
  })

  test('request body: unknown fields are ignored', async () => {
    await ann.create('/groups', { name: 'Plain', colour: 'green' })
    await ann.create('/groups', { name: 'Plain', colour: { deep: ['green'] } }, { as: 'form' })
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
