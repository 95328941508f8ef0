import { describe, expect, test } from 'vitest'
import { messenger, unknown } from './shared-messenger.ts'

const [conversation, message] = [unknown('conv'), unknown('msg')]
/** Endpoints of the messaging API. */
const ENDPOINTS = [
  ['GET', '/conversations'],
  ['POST', '/conversations'],
  ['GET', `/conversations/${conversation}`],
  ['PUT', `/conversations/${conversation}`],
  ['DELETE', `/conversations/${conversation}`],
  ['GET', '/messages'],
  ['POST', '/messages'],
  ['GET', `/messages/${message}`],
  ['PUT', `/messages/${message}`],
  ['DELETE', `/messages/${message}`],
] as const

describe.each(ENDPOINTS)('access token: %s %s', (method, path) => {
  test('401 AUTH_INVALID_KEY with WWW-Authenticate when the bearer header is missing [API-AUTH-1, API-AUTH-2]', async () => {
    await messenger.ann.expectError('AUTH_INVALID_KEY', method, path, undefined, { token: null })
    const { headers } = await messenger.ann.send(method, path, undefined, { token: null })
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })
  test("401 with another scheme, an unknown token, an Application's key or an operator's token [MSG-AUTH-3]", async () => {
    const basic = { token: null, headers: { authorization: `Basic ${btoa(`ann:${messenger.ann.token}`)}` } }
    await messenger.ann.expectError('AUTH_INVALID_KEY', method, path, undefined, basic)
    for (const token of [`gu_${'x'.repeat(43)}`, 'gu_', '', messenger.key(), messenger.demo.admin_token]) {
      await messenger.ann.expectError('AUTH_INVALID_KEY', method, path, undefined, { token })
    }
  })
  test('401 AUTH_KEY_REVOKED when the token is revoked [MSG-AUTH-3]', async () => {
    const { id, token } = await messenger.operator.create(`/users/${messenger.ann.id}/tokens`, {})
    await messenger.operator.post(`/access-tokens/${id}/revoke`)
    await messenger.ann.expectError('AUTH_KEY_REVOKED', method, path, undefined, { token })
  })
})

describe('access token', () => {
  test('JWT: accepted as an access token of the same user when the Workspace JWKS verifies it [MSG-AUTH-2]', async () => {
    const [user] = messenger.demo.users
    const { data } = await messenger.ann.get(`/contacts?username=${user?.id}`)
    const conversation = (await messenger.ann.create('/conversations', { contact_id: data[0]?.id ?? user?.id })).id
    const asUser = { token: user?.user_token ?? '' }
    const seen = await messenger.ann.send('GET', `/conversations/${conversation}`, undefined, asUser)
    expect([seen.status, seen.body.contact_id]).toEqual([200, messenger.ann.id])
    const altered = { token: `${asUser.token.slice(0, -6)}AAAAAA` }
    await messenger.ann.expectError('AUTH_INVALID_KEY', 'GET', `/conversations/${conversation}`, undefined, altered)
  })
  test('access token: shown once, and neither logged nor stored in the clear [MSG-AUTH-1, ADM-API-10]', async () => {
    const { token } = await messenger.operator.create(`/users/${messenger.ann.id}/tokens`, {})
    expect(token).toMatch(/^gu_[\w-]{32,}$/)
    expect((await messenger.ann.send('GET', '/conversations', undefined, { token })).status).toBe(200)
    const { rows } = await messenger.server.context.database.pool.query('select row_to_json(t)::text as row from access_token t')
    expect(rows.map(({ row }) => row).join()).not.toContain(token.slice(3))
    expect(messenger.server.logs()).not.toContain(token.slice(3))
  })
  test('access token: refused by the gateway, and an API key is refused by messaging [API-AUTH-3]', async () => {
    expect((await messenger.chat('Good morning', {}, { token: messenger.ann.token })).status).toBe(401)
  })
})
