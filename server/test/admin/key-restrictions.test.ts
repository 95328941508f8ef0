import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { adminClient, expectError as expectAdminError, type Json } from './client.ts'

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)

/** A key of an Application that may use the models `scripted` and `demo-mini`. */
async function issue(fields: object = {}): Promise<Json> {
  const { id } = await governed.application({ models: ['scripted', 'demo-mini'] })
  return admin.create(`/applications/${id}/keys`, { name: 'restricted', ...fields })
}

const chat = ({ key }: Json, model = 'scripted') => governed.chat('Good morning', { model }, { token: key })
const modelsOf = async ({ key }: Json): Promise<string[]> =>
  expectSuccess(await governed.api('GET', '/v1/models', { token: key })).data.map(({ id }: Json) => id)

test('key: has no limits, models, tags and metadata of its own by default', async () => {
  const { key, ...issued } = await issue()
  expect(issued).toMatchObject({
    limits: { requests_per_minute: null, burst: null, tokens_per_minute: null },
    models: null,
    tags: [],
    metadata: {},
  })
  expectSuccess(await chat({ key }))
})

test('key: 429 beyond its own limit, with its limit in the headers, while another key of the Application works [GW-LIM-8]', async () => {
  const narrow = await issue({ limits: { requests_per_minute: 1, burst: 1 } })
  const other = await admin.create(`/applications/${narrow.application_id}/keys`, { name: 'other' })
  const first = await chat(narrow)
  expectSuccess(first)
  expect(first.headers.get('ratelimit-policy')).toContain('"requests";q=1;w=60;gatehouse-burst=1')
  const refused = await chat(narrow)
  expect(expectError(refused, 'RATE_LIMITED').message).toContain('for this API key')
  expect(refused.headers.get('ratelimit')).toContain('"requests";r=0')
  expectSuccess(await chat(other))
})

test('key: 422 that names its setting for a model of the Application that the key may not use, and the list of models is its own [GW-LIM-8, GW-MOD-2]', async () => {
  const narrow = await issue({ models: ['demo-mini'] })
  expectSuccess(await chat(narrow, 'demo-mini'))
  const refused = await chat(narrow)
  expect(expectError(refused, 'NO_ELIGIBLE_PROVIDER')).toMatchObject({
    param: 'model',
    message:
      'No provider may serve the model "scripted" for this request. This API key may use: demo-mini. The setting "models" of this API key restricts them.',
    details: { models: ['demo-mini'] },
  })
  expect(await modelsOf(narrow)).toEqual(['demo-mini'])
  expect((await governed.api('GET', '/v1/models/scripted', { token: narrow.key })).status).toBe(404)
})

test('key: cannot use a model that its Application may not use', async () => {
  const wide = await issue({ models: ['*'] })
  expect(await modelsOf(wide)).toEqual(['demo-mini', 'scripted'])
})

test('key: a change applies to the next request, and null removes it [ADM-API-21]', async () => {
  const issued = await issue()
  expectSuccess(await chat(issued))
  const changed = await admin.patch(`/keys/${issued.id}`, {
    name: 'renamed',
    limits: { requests_per_minute: 1, burst: 1 },
    models: ['scripted'],
    tags: ['nightly'],
    metadata: { owner: 'Ann' },
  })
  expect(changed).toMatchObject({ name: 'renamed', models: ['scripted'], tags: ['nightly'], metadata: { owner: 'Ann' } })
  expectSuccess(await chat(issued))
  expectError(await chat(issued), 'RATE_LIMITED')
  const limits = { requests_per_minute: null, burst: null }
  const reset = await admin.patch(`/keys/${issued.id}`, { limits, models: null, tags: null, metadata: null })
  expect(reset).toMatchObject({ name: 'renamed', limits, models: null, tags: [], metadata: {} })
  expectSuccess(await chat(issued, 'demo-mini'))
})

test('key: the key that replaces it has the same limits, models, tags and metadata [ADM-API-19]', async () => {
  const fields = { limits: { tokens_per_minute: 500 }, models: ['scripted'], tags: ['nightly'], metadata: { owner: 'Ann' } }
  const replaced = await issue(fields)
  expect(await admin.create(`/keys/${replaced.id}/rotate`, {})).toMatchObject(fields)
})

test('archive: keys are revoked, and new keys, the playground and lists leave the Application out until it is restored [ADM-API-22]', async () => {
  const { id, token } = await governed.application()
  const issued = await admin.create(`/applications/${id}/keys`, { name: 'second' })
  const listed = async (query = ''): Promise<boolean> =>
    (await admin.get(`/applications?limit=100&sort=name${query}`)).data.some((one: Json) => one.id === id)
  const inPlayground = () => admin.send('POST', `/applications/${id}/chat`, ASK)
  expectSuccess(await chat({ key: token }))
  expect((await inPlayground()).status).toBe(200)
  const archived = await admin.post(`/applications/${id}/archive`)
  expect(archived.archived_at).not.toBeNull()
  const [archiving, ...revocations] = (await admin.records(3)).map(({ change }: Json) => change).reverse()
  expect(archiving).toMatchObject({ action: 'application.archive', object_id: id })
  expect(revocations.map(({ action, object_type, fields }: Json) => [action, object_type, fields])).toEqual(
    Array.from({ length: 2 }, () => ['key.revoke', 'key', ['revoked_at']]),
  )
  expect(revocations.map(({ object_id }: Json) => object_id)).toContain(issued.id)
  expect(await admin.post(`/applications/${id}/archive`)).toEqual(archived)
  for (const key of [token, issued.key]) expectError(await chat({ key }), 'AUTH_KEY_REVOKED')
  expectAdminError(await admin.send('POST', `/applications/${id}/keys`, { name: 'third' }), 'CONFLICT')
  expectAdminError(await inPlayground(), 'FORBIDDEN')
  expect([await listed(), await listed('&archived=true'), await listed('&archived=any')]).toEqual([false, true, true])
  expect(await admin.get(`/applications/${id}`)).toEqual(archived)
  const keys = (await admin.get(`/applications/${id}/keys`)).data
  expect(keys.map(({ revoked_at }: Json) => revoked_at)).toEqual([archived.archived_at, archived.archived_at])
  expect((await admin.post(`/applications/${id}/restore`)).archived_at).toBeNull()
  expect([await listed(), await listed('&archived=true')]).toEqual([true, false])
  expectError(await chat({ key: token }), 'AUTH_KEY_REVOKED')
  expectSuccess(await chat(await admin.create(`/applications/${id}/keys`, { name: 'third' })))
})

const ASK = { model: 'scripted', messages: [{ role: 'user', content: 'Good morning' }] }

test.each([
  ['limits.requests_per_minute', { limits: { requests_per_minute: 0 } }],
  ['limits', { limits: { concurrency: 1 } }],
  ['tags', { tags: Array.from({ length: 21 }, (_, index) => `tag ${index}`) }],
  ['metadata', { metadata: { 'a\u0000b': 'x' } }],
  ['metadata', { metadata: { a: 'x\u0000' } }],
])('key: 400 when %s is wrong', async (_, fields) => {
  const { id } = await issue()
  expectAdminError(await admin.send('PATCH', `/keys/${id}`, fields), 'VALIDATION_ERROR')
})

describe('rotation: the new key shares the counters of the replaced one', () => {
  test('limits: both keys together get the limit of one [ADM-API-19]', async () => {
    const first = await issue({ limits: { requests_per_minute: 1, burst: 2 } })
    const second = await admin.create(`/keys/${first.id}/rotate`, {})
    const third = await admin.create(`/keys/${second.id}/rotate`, {})
    expectSuccess(await chat(first))
    expectSuccess(await chat(third))
    for (const key of [first, second, third]) expectError(await chat(key), 'RATE_LIMITED')
  })

  test('budgets: a budget of each key and of one key count on [ADM-API-19]', async () => {
    const first = await issue()
    const second = await admin.create(`/keys/${first.id}/rotate`, {})
    const create = (scope: object) =>
      admin.create('/budgets', { name: word(), scope: 'key', unit: 'tokens', limit: 20_000, period: 'month', ...scope })
    const [each, one] = [
      await create({ application_id: first.application_id }),
      await create({ application_id: first.application_id, member: second.id }),
    ]
    expectSuccess(await chat(first))
    expectSuccess(await chat(second))
    const third = await admin.create(`/keys/${second.id}/rotate`, {})
    expectSuccess(await chat(third))
    for (const { id } of [each, one])
      expect((await admin.get(`/budgets/${id}`)).current).toMatchObject({ member: first.id, spent: 3 * 18 })
    for (const { id } of [each, one]) await admin.remove(`/budgets/${id}`)
  })
})
