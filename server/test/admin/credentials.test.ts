import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { type Admin, adminClient, expectError, type Json } from './client.ts'

let admin: Admin
const server = await closeAfterAll(startServer())
admin = adminClient(server)
const application = await admin.create('/applications', { name: 'with keys' })

const models = async (key: string): Promise<{ status: number; code?: string }> => {
  const response = await fetch(`${server.base}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, code: ((await response.json()) as Json).error?.code }
}

test('keys: valid at once when issued, and shown only in that response [GW-AUTH-2, ADM-API-4]', async () => {
  const issued = await admin.create(`/applications/${application.id}/keys`, { name: 'first' })
  expect(issued).toEqual({
    id: expect.stringMatching(/^key_/),
    object: 'api_key',
    application_id: application.id,
    name: 'first',
    key: expect.stringMatching(/^gk_[\w-]{43}$/),
    hint: issued.key.slice(0, 7),
    issued_by: expect.stringMatching(/^adm_/),
    created_at: expect.stringMatching(/Z$/),
    last_used_at: null,
    revoked_at: null,
    expires_at: null,
    replaced_by: null,
    limits: { requests_per_minute: null, burst: null, tokens_per_minute: null },
    models: null,
    tags: [],
    metadata: {},
    team_id: null,
  })
  expect(await models(issued.key)).toEqual({ status: 200 })
  expect(JSON.stringify(await admin.get(`/applications/${application.id}/keys`))).not.toContain(issued.key)
  expect(server.logs()).not.toContain(issued.key)
})

test('keys: refused from the next request on when revoked, and a second revocation changes nothing [GW-AUTH-3, ADM-API-4]', async () => {
  const { id, key } = await admin.create(`/applications/${application.id}/keys`, { name: 'short-lived' })
  expect(await models(key)).toEqual({ status: 200 })
  const revoked = await admin.post(`/keys/${id}/revoke`)
  expect(await models(key)).toEqual({ status: 401, code: 'AUTH_KEY_REVOKED' })
  expect(revoked).toMatchObject({ id, object: 'api_key', revoked_at: expect.any(String) })
  expect(revoked).not.toHaveProperty('key')
  expect(await admin.post(`/keys/${id}/revoke`)).toEqual(revoked)
})

test('Applications: PATCH changes only the named fields [ADM-API-3]', async () => {
  const before = await admin.patch(`/applications/${application.id}`, {
    limits: { burst: 9, tokens_per_minute: 500 },
    settings: { motto: 'slowly', memory: { capture: 'explicit' } },
  })
  const after = await admin.patch(`/applications/${application.id}`, { limits: { burst: null }, settings: { memory: true } })
  expect(after).toEqual({
    ...before,
    limits: { ...before.limits, burst: 60 },
    settings: { ...before.settings, memory: { ...before.settings.memory, enabled: true } },
    updated_at: expect.any(String),
  })
})

test('admin tokens: valid from issue until revocation', async () => {
  const { id, token, ...shown } = await admin.create('/tokens', { name: 'second' })
  expect(token).toMatch(/^ga_[\w-]{43}$/)
  expect((await admin.get('/tokens', { token })).data.at(-1)).toEqual({ id, ...shown })
  await admin.post(`/tokens/${id}/revoke`)
  expectError(await admin.send('GET', '/tokens', undefined, { token }), 'AUTH_KEY_REVOKED')
  expect(server.logs()).not.toContain(token)
})

test('admin tokens: one stays when two tokens revoke each other at the same time', async () => {
  const [first] = (await admin.get('/tokens')).data
  for (let round = 0; round < 5; round++) {
    const second = await admin.create('/tokens', { name: `rival ${round}` })
    const responses = await Promise.all([
      admin.send('POST', `/tokens/${first.id}/revoke`, undefined, { token: second.token }),
      admin.send('POST', `/tokens/${second.id}/revoke`),
    ])
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    if (responses[0]?.status === 200) {
      admin = adminClient({ base: server.base, demo: { ...server.demo, admin_token: second.token } })
      break
    }
  }
  const { data } = await admin.get('/tokens?limit=100')
  const active = data.filter(({ revoked_at }: Json) => revoked_at === null)
  expect(active).toHaveLength(1)
  expectError(await admin.send('POST', `/tokens/${active[0].id}/revoke`), 'CONFLICT')
  expectError(await admin.send('POST', '/tokens/adm_01h455vb4pex5vsknk084sn02q/revoke'), 'NOT_FOUND')
})
