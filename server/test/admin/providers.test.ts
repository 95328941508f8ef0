import { afterAll, describe, expect, test } from 'vitest'
import { signInOperator } from '../support/operators.ts'
import { startScriptedProvider } from '../support/scripted-provider.ts'
import { startServer } from '../support/server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const provider = await startScriptedProvider()
const server = await startServer({
  OPENAI_API_KEY: 'sk-of-the-environment',
  OPENAI_BASE_URL: provider.url,
  OPENAI_MODELS: 'scripted',
})
const admin = adminClient(server)
afterAll(async () => {
  await server.close()
  await provider.close()
})

const ACME = { id: 'acme', base_url: 'https://llm.example.com/v1', api_key: 'sk-first-of-acme', weight: 2.5, region: 'eu' }

test('create: missing fields get defaults, and the key is never shown [ADM-API-9]', async () => {
  const created = await admin.create('/providers', ACME)
  expect(created).toEqual({
    id: 'acme',
    object: 'provider',
    kind: 'openai',
    preset: null,
    source: 'api',
    base_url: 'https://llm.example.com/v1',
    allow_private_addresses: false,
    api_key_from: 'stored',
    api_key_env: null,
    path: '/chat/completions',
    headers: {},
    timeout_ms: 3_600_000,
    idle_timeout_ms: null,
    stream: true,
    max_retries: 2,
    max_concurrency: 256,
    weight: 2.5,
    region: 'eu',
    max_classification: 'restricted',
    enabled: true,
    health: { circuit: 'closed', active: 0, used: false, problem: null, last_error: null },
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect(await admin.get('/providers/acme')).toEqual(created)
  expect(server.logs()).not.toContain('sk-first-of-acme')
})

test('update: changes only the named fields, null resets optional ones, and the key stays unless the origin changes', async () => {
  const before = await admin.get('/providers/acme')
  const patched = await admin.patch('/providers/acme', { timeout_ms: 2_000, region: null })
  expect(patched).toEqual({ ...before, timeout_ms: 2_000, region: null, updated_at: expect.any(String) })
  const sameOrigin = await admin.patch('/providers/acme', { base_url: 'https://llm.example.com/v2' })
  expect(sameOrigin.api_key_from).toBe('stored')
  const moved = await admin.patch('/providers/acme', { base_url: 'https://elsewhere.example.com/v1' })
  expect(moved.api_key_from).toBe(null)
})

test.each([
  ['a link-local address', 'http://169.254.169.254/latest'],
  ['a metadata name', 'http://metadata.google.internal/'],
  ['loopback', 'http://127.0.0.1:8080'],
  ['loopback in another notation', 'http://0x7f.1/'],
  ['loopback as one number', 'http://2130706433/'],
  ['loopback of version 6', 'http://[::1]/'],
  ['a private address', 'https://10.0.0.7/v1'],
  ['a private address of version 6', 'https://[fd00::1]/v1'],
  ['localhost', 'http://localhost:11434/v1'],
])('base_url: 400 for %s, on create and on update [ADM-ENV-10]', async (_, base_url) => {
  expectError(await admin.send('POST', '/providers', { id: 'inside', base_url }), 'VALIDATION_ERROR', 'base_url')
  expectError(await admin.send('PATCH', '/providers/acme', { base_url }), 'VALIDATION_ERROR', 'base_url')
  expectError(await admin.send('PATCH', '/providers/openai', { base_url }), 'VALIDATION_ERROR', 'base_url')
})

test('base_url: a refused private address names the setting of the server and that of the provider', async () => {
  const { message } = expectError(
    await admin.send('POST', '/providers', { id: 'inside', base_url: 'http://10.0.0.7/v1' }),
    'VALIDATION_ERROR',
  )
  for (const name of ['GATEHOUSE_ALLOW_PRIVATE_URLS=1', '“Allow private addresses”']) expect(message).toContain(name)
})

describe('private addresses of one provider [ADM-ENV-10]', () => {
  const body = { id: 'own', base_url: provider.url, allow_private_addresses: true }

  test('an owner allows them, which is recorded, and requests are sent there without a restart', async () => {
    await admin.create('/providers', { ...body, api_key: 'sk-own' })
    const [record] = await admin.records()
    expect(record?.change).toMatchObject({ action: 'provider.create', object_id: 'own' })
    expect(record?.change.fields).toContain('allow_private_addresses')
    expect((await admin.post('/providers/own/discover')).call).toMatchObject({ model: 'scripted', outcome: 'answered' })
    await admin.patch('/providers/own', { allow_private_addresses: false, base_url: 'https://llm.example.com' })
  })

  test.each([
    'http://169.254.169.254/latest',
    'http://[::ffff:169.254.169.254]/',
    'http://metadata.google.internal/',
    'http://100.100.100.200/',
  ])('the link-local and metadata address %s stays refused', async (base_url) => {
    expectError(await admin.send('POST', '/providers', { ...body, id: 'inside', base_url }), 'VALIDATION_ERROR', 'base_url')
  })

  test('an owner of one Workspace cannot allow them, nor change where such a provider sends requests', async () => {
    const [{ id: workspace }] = (await admin.get('/workspaces')).data
    const { browser } = await signInOperator(server, { [workspace]: 'owner' })
    const send = (method: string, path: string, json: object) => browser.send(method, `/admin/v1${path}`, json)
    expectError(await send('POST', '/providers', body), 'FORBIDDEN', 'allow_private_addresses')
    expectError(await send('PATCH', '/providers/acme', { allow_private_addresses: true }), 'FORBIDDEN')
    await admin.create('/providers', { ...body, id: 'guarded' })
    for (const change of [
      { base_url: 'http://10.0.0.7/v1' },
      { path: '/flush' },
      { headers: { a: 'b' } },
      { api_key: 'k' },
      { region: 'eu' },
    ])
      expectError(await send('PATCH', '/providers/guarded', change), 'FORBIDDEN', 'allow_private_addresses')
    expect(await admin.get('/providers/guarded')).toMatchObject({
      base_url: provider.url,
      path: '/chat/completions',
      region: null,
    })
    expect((await send('PATCH', '/providers/guarded', { weight: 2 })).status).toBe(200)
    const { token } = await admin.create('/tokens', { name: 'automation', scopes: ['providers:read', 'providers:write'] })
    expectError(await admin.send('POST', '/providers', body, { token }), 'FORBIDDEN', 'allow_private_addresses')
    expectError(await admin.send('PATCH', '/providers/guarded', { path: '/flush' }, { token }), 'FORBIDDEN')
  })
})

test('update: a provider from the environment keeps address and key when another field changes', async () => {
  const patched = await admin.patch('/providers/openai', { timeout_ms: 2_000 })
  expect(patched).toMatchObject({ source: 'environment', api_key_from: 'environment', timeout_ms: 2_000, base_url: provider.url })
  expect(patched.health.problem).toBe(null)
})

test('api_key_env: 400, because the admin API must not read variables of the server', async () => {
  const fields = { id: 'other', base_url: 'https://other.example.com', api_key_env: 'GATEHOUSE_SECRET_KEY' }
  expectError(await admin.send('POST', '/providers', fields), 'VALIDATION_ERROR', 'api_key_env')
  expectError(
    await admin.send('PATCH', '/providers/openai', { base_url: 'https://other.example.com' }),
    'VALIDATION_ERROR',
    'api_key_env',
  )
  expectError(await admin.send('PATCH', '/providers/acme', { api_key_env: 'OPENAI_API_KEY' }), 'VALIDATION_ERROR', 'api_key_env')
})

test('delete: the provider and its models are gone at the next request', async () => {
  await admin.create('/providers', { id: 'brief', kind: 'stub' })
  await admin.put('/providers/brief/models/brief-model', { input_price: 1 })
  const listed = async () => (await admin.get('/models')).data.map(({ id }: Json) => id)
  expect(await listed()).toContain('brief-model')
  await admin.remove('/providers/brief')
  expect(await listed()).not.toContain('brief-model')
  expectError(await admin.send('DELETE', '/providers/brief'), 'NOT_FOUND')
})

test('models: usable from PUT until DELETE', async () => {
  await admin.patch(`/applications/${server.demo.applications[0]?.id}`, { models: null })
  const chat = () =>
    fetch(`${server.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.demo.applications[0]?.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'org/new', messages: [{ role: 'user', content: 'Good morning' }] }),
    }).then(({ status }) => status)
  expect(await chat()).toBe(422)
  const put = await admin.put('/providers/openai/models/org%2Fnew', {
    upstream_name: 'scripted',
    output_price: 0.5,
    cache_write_1h_price: 6,
  })
  expect(put).toEqual({
    id: 'org/new',
    object: 'model',
    provider_id: 'openai',
    upstream_name: 'scripted',
    api: 'chat',
    fallback_order: 0,
    input_price: null,
    output_price: 0.5,
    cache_read_price: null,
    cache_write_price: null,
    cache_write_1h_price: 6,
    ...{ reasoning_price: null, request_price: null, price: null },
    created_at: expect.any(String),
  })
  expect(await chat()).toBe(200)
  expect(provider.calls.at(-1)?.body.model).toBe('scripted')
  await admin.remove('/providers/openai/models/org%2Fnew')
  expect(await chat()).toBe(422)
})

test('model: PATCH changes only the fields that it names, and adds no model', async () => {
  const headers = { authorization: `Bearer ${server.demo.admin_token}`, 'content-type': 'application/json' }
  await admin.put('/providers/openai/models/patched', { upstream_name: 'scripted', input_price: 1, output_price: 2 })
  const fields = [{ input_price: 5 }, { output_price: 9 }, { cache_read_price: 0.5 }]
  await Promise.all(fields.map((change) => admin.patch('/providers/openai/models/patched', change)))
  const changed = await admin.patch('/providers/openai/models/patched', { upstream_name: null })
  expect(changed).toMatchObject({ upstream_name: null, input_price: 5, output_price: 9, cache_read_price: 0.5 })
  expect(changed.price).toMatchObject({ version: 'operator', input_price: 5, output_price: 9, cache_read_price: 0.5 })
  expect((await admin.get('/providers/openai/models')).data).toContainEqual(changed)
  const refusal = await admin.send('PATCH', '/providers/openai/models/patched', { input_price: -1 })
  expectError(refusal, 'VALIDATION_ERROR', 'input_price')
  const onlyNew = { method: 'PUT', headers: { ...headers, 'if-none-match': '*' }, body: '{}' }
  const again = await fetch(`${server.base}/admin/v1/providers/openai/models/patched`, onlyNew)
  expect(await again.json()).toMatchObject({ error: { code: 'CONFLICT', param: 'model' } })
  expectError(await admin.send('PATCH', '/providers/openai/models/unknown', { input_price: 1 }), 'NOT_FOUND')
  await admin.remove('/providers/openai/models/patched')
})

test('models: several are stored together or not at all', async () => {
  const models = [{ id: 'a', input_price: 1 }, { id: 'b' }]
  const { data } = await admin.post('/providers/openai/models', { models })
  expect(data.map(({ id }: Json) => id)).toEqual(['a', 'b'])
  expectError(await admin.send('POST', '/providers/openai/models', { models: [{ id: 'c' }, { id: 'd d' }] }), 'VALIDATION_ERROR')
  expect((await admin.get('/providers/openai/models')).data.map(({ id }: Json) => id)).not.toContain('c')
})

test('discover: returns the models of the provider and stores nothing', async () => {
  await admin.remove('/providers/openai/models/scripted')
  const before = await admin.get('/providers/openai/models')
  expect(await admin.post('/providers/openai/discover?model=scripted')).toEqual({
    object: 'list',
    has_list: true,
    data: [{ id: 'scripted', known: false }],
    left_out: { embedding: 0, other: 0 },
    call: { model: 'scripted', outcome: 'answered', ms: expect.any(Number) },
  })
  expect(await admin.get('/providers/openai/models')).toEqual(before)
})

test("discover: the error names the cause without the provider's text", async () => {
  expectError(await admin.send('POST', '/providers/demo/discover'), 'CONFLICT')
  expectError(await admin.send('POST', '//providers/unknown//discover'), 'NOT_FOUND')
  await admin.create('/providers', { id: 'unreachable', base_url: 'https://gatehouse.invalid/v1', timeout_ms: 500 })
  const response = await admin.send('POST', '/providers/unreachable/discover')
  expect([502, 504]).toContain(response.status)
  expect(response.body.error.details.failure).toMatch(/^(connect|timeout)$/)
  expect(response.body.error.details.cause).toMatch(/^(dns|timeout)$/)
})
