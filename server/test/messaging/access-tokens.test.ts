import { describe, expect, test } from 'vitest'
import { adminClient } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const { ann } = await createMembers(server, ['ann'])

describe('access tokens', () => {
  test('access token: next request gets 401 when the token is revoked, and no audit record contains the token', async () => {
    const { id, token } = await admin.create(`/users/${ann.id}/tokens`)
    expect((await ann.send('GET', '/contacts', undefined, { token })).status).toBe(200)
    const revoked = await admin.post(`/access-tokens/${id}/revoke`)
    await ann.expectError('AUTH_KEY_REVOKED', 'GET', '/contacts', undefined, { token })
    expect(await admin.post(`/access-tokens/${id}/revoke`)).toEqual(revoked)
    expect(JSON.stringify(await admin.records())).not.toContain(token)
    expect((await admin.send('POST', '/access-tokens/tok_01h455vb4pex5vsknk084sn02q/revoke')).status).toBe(404)
  })

  test('access token: request to create or list tokens gets 404 when the user does not exist', async () => {
    expect((await admin.send('POST', '/users/absent/tokens', {})).status).toBe(404)
    expect((await admin.send('GET', '/users/absent/tokens')).status).toBe(404)
  })

  test('access token: request gets 401 before its body is read when the token is missing or another credential is sent', async () => {
    const [application] = server.demo.applications
    for (const token of [null, `gu_${'x'.repeat(43)}`, application?.api_key ?? '', server.demo.admin_token, 'a.b.c']) {
      await ann.expectError('AUTH_INVALID_KEY', 'POST', '/groups', undefined, {
        token,
        raw: '{"name":',
        headers: { 'content-type': 'application/json' },
      })
    }
  })
})
