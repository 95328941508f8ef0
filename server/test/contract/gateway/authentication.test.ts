import { describe, expect, test } from 'vitest'
import { ENDPOINTS, expectError, expectSuccess } from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

describe('API keys', () => {
  describe.each(ENDPOINTS)('$method $path', ({ method, path, json }) => {
    test('without a key: 401 AUTH_INVALID_KEY with WWW-Authenticate: Bearer [API-AUTH-1, API-AUTH-2]', async () => {
      const response = await governed.api(method, path, { json, token: null })
      expectError(response, 'AUTH_INVALID_KEY')
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    })
    test('unknown key: 401 AUTH_INVALID_KEY [GW-AUTH-1, API-ERR-5]', async () => {
      const response = await governed.api(method, path, { json, token: `gk_${'x'.repeat(43)}` })
      expect(expectError(response, 'AUTH_INVALID_KEY').type).toBe('authentication_error')
    })
    test('revoked key: 401 AUTH_KEY_REVOKED [GW-AUTH-1, API-ERR-5]', async () => {
      expectError(
        await governed.api(method, path, { json, token: governed.demo.applications[0]?.revoked_api_key ?? '' }),
        'AUTH_KEY_REVOKED',
      )
    })
    test('key: 401 and not 400 when an invalid body comes without a key', async () => {
      if (method === 'POST') expectError(await governed.api(method, path, { raw: '{', token: null }), 'AUTH_INVALID_KEY')
    })
  })

  test.each([
    'Bearer',
    'Bearer ',
    'Basic KEY',
    'KEY',
    'Bearer KEY extra',
    'Bearer KEYx',
    'Bearer  ',
    'Bearer \tKEY,',
    'Token KEY',
  ])('malformed Authorization %j: 401 AUTH_INVALID_KEY [API-AUTH-2]', async (shape) => {
    const authorization = shape.replace('KEY', governed.key())
    expectError(await governed.api('GET', '/v1/models', { token: null, headers: { authorization } }), 'AUTH_INVALID_KEY')
  })
  test('the scheme is accepted in upper and lower case', async () => {
    const headers = { authorization: `bearer ${governed.key()}` }
    expectSuccess(await governed.api('GET', '/v1/models', { token: null, headers }))
  })
  test('an admin token is refused by the gateway, and an API key by the admin API [API-AUTH-1]', async () => {
    expectError(await governed.api('GET', '/v1/models', { token: governed.demo.admin_token }), 'AUTH_INVALID_KEY')
    expectError(await governed.api('GET', '/admin/v1/applications'), 'AUTH_INVALID_KEY')
  })
  test('the key is stored only as a hash [GW-AUTH-2]', async () => {
    const { rows } = await governed.server.context.database.pool.query('select api_key::text as row from api_key')
    const stored = rows.map(({ row }) => row).join('\n')
    for (const { api_key, revoked_api_key } of governed.demo.applications) {
      for (const key of [api_key, revoked_api_key]) expect(stored).not.toContain(key.slice(8))
    }
  })
})
