import { expect, test } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const DAY_MS = 86_400_000

const clock = adjustableClock()
const server = await closeAfterAll(startServer({}, { clock }))
const admin = adminClient(server)
const application = (await admin.create('/applications', { name: 'rotating' })).id

const inDays = (days: number): string => new Date(clock.now().getTime() + days * DAY_MS).toISOString()
const issue = (body: object = {}): Promise<Json> => admin.create(`/applications/${application}/keys`, { name: 'app', ...body })

async function models(key: string): Promise<{ status: number; code?: string; message?: string }> {
  const response = await fetch(`${server.base}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  const { error } = (await response.json()) as Json
  return { status: response.status, ...(error && { code: error.code, message: error.message }) }
}
const EXPIRED = { status: 401, code: 'AUTH_INVALID_KEY', message: 'The API key has expired. Use a new key.' }

test('key: refused from its expiry on [ADM-API-19]', async () => {
  const expires_at = inDays(7)
  const { key, ...shown } = await issue({ expires_at })
  expect(shown.expires_at).toBe(expires_at)
  expect(await models(key)).toEqual({ status: 200 })
  clock.advance(7 * DAY_MS)
  expect(await models(key)).toEqual(EXPIRED)
})

test('key: not issued when the expiry has passed or is not a time', async () => {
  for (const expires_at of [inDays(-1), 'soon'])
    expectError(await admin.send('POST', `/applications/${application}/keys`, { name: 'x', expires_at }), 'VALIDATION_ERROR')
})

test('rotation: both keys are valid during the overlap, then only the new one [ADM-API-19]', async () => {
  const old = await issue()
  const created = await admin.create(`/keys/${old.id}/rotate`, { overlap_seconds: 3_600 })
  expect(created).toMatchObject({ application_id: application, name: 'app', expires_at: null, replaced_by: null })
  expect([await models(old.key), await models(created.key)]).toEqual([{ status: 200 }, { status: 200 }])
  const { data } = await admin.get(`/applications/${application}/keys?limit=100`)
  expect(data.find(({ id }: Json) => id === old.id)).toMatchObject({ replaced_by: created.id, revoked_at: null })
  clock.advance(3_600_000)
  expect([await models(old.key), await models(created.key)]).toEqual([EXPIRED, { status: 200 }])
})

test('key: shown without its secret', async () => {
  const { key, ...shown } = await issue()
  expect(await admin.get(`/keys/${shown.id}`)).toEqual(shown)
})

test('rotation: without an overlap the old key is refused from the next request on', async () => {
  const old = await issue()
  expect(await models(old.key)).toEqual({ status: 200 })
  await admin.create(`/keys/${old.id}/rotate`, { overlap_seconds: 0 })
  expect(await models(old.key)).toEqual(EXPIRED)
})

test('rotation: the new key has the lifetime of the old one, and an overlap never extends a key', async () => {
  const expires_at = inDays(30)
  const old = await issue({ expires_at })
  clock.advance(29.5 * DAY_MS)
  const created = await admin.create(`/keys/${old.id}/rotate`, { overlap_seconds: 30 * 86_400 })
  expect(Date.parse(created.expires_at) - Date.parse(created.created_at)).toBeGreaterThan(29 * DAY_MS)
  const { data } = await admin.get(`/applications/${application}/keys?limit=100`)
  expect(data.find(({ id }: Json) => id === old.id).expires_at).toBe(expires_at)
})

test('rotation: one new key when two operators rotate a key at the same time', async () => {
  const { id } = await issue()
  const responses = await Promise.all([1, 2].map(() => admin.send('POST', `/keys/${id}/rotate`, {})))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409])
})

test('rotation: refused for a revoked, expired or replaced key', async () => {
  const refusal = async (id: string) => (await admin.send('POST', `/keys/${id}/rotate`, {})).body.error
  const [revoked, expired, replaced] = [await issue(), await issue({ expires_at: inDays(1) }), await issue()]
  await admin.post(`/keys/${revoked.id}/revoke`)
  await admin.create(`/keys/${replaced.id}/rotate`, {})
  clock.advance(DAY_MS)
  expect((await refusal(revoked.id)).details).toEqual({ reason: 'revoked' })
  expect((await refusal(expired.id)).details).toEqual({ reason: 'expired' })
  expect((await refusal(replaced.id)).details).toEqual({ reason: 'replaced' })
})
