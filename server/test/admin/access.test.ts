import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError } from './client.ts'
import { adminOperations, adminRoutes, somePath } from './operations.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const operations = await adminOperations(server)

test('OpenAPI: documents every route of the admin API with its operation id, authentication, responses and errors', () => {
  const documented = operations.map(({ method, path }) => `${method} ${path}`)
  expect(adminRoutes(server.app).toSorted()).toEqual(documented.toSorted())
  expect(documented.length).toBeGreaterThan(45)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { path, method, operationId, tags, security, responses } of operations) {
    const operation = `${method} ${path}`
    expect(operationId, operation).toMatch(/^[a-z]+[A-Za-z]+$/)
    expect(tags, operation).toEqual(['admin'])
    expect(security, operation).toEqual([{ adminToken: [] }, { operatorSession: [] }])
    expect(Object.keys(responses), operation).toEqual(expect.arrayContaining(['401', '403', '503']))
    const [status = ''] = Object.keys(responses).filter((code) => code.startsWith('2'))
    expect(status === '204' || responses[status]?.content !== undefined, operation).toBe(true)
  }
})

test('OpenAPI: every route within a Workspace documents how the Workspace is chosen', () => {
  for (const { path, parameters } of operations) {
    const locations = parameters.filter(({ name }) => /^(x-gatehouse-)?workspace$/.test(name)).map((parameter) => parameter.in)
    // The feed has the records of all Workspaces unless its query names one.
    const expected = /^\/admin\/v1\/(workspaces|session|secret-keys|single-sign-on|demo)\b/.test(path)
      ? []
      : path === '/admin/v1/audit/feed'
        ? ['query']
        : ['header', 'query']
    expect(locations.sort(), path).toEqual(expected)
  }
})

test('tokens: every route returns 401 without a valid admin token, before it reads the body', async () => {
  const revoked = await admin.create('/tokens', { name: 'to be revoked' })
  await admin.post(`/tokens/${revoked.id}/revoke`)
  const [application] = server.demo.applications
  const tokens = {
    'no token': null,
    'an unknown token': `ga_${'x'.repeat(43)}`,
    'a malformed token': 'root',
    "an Application's key": application?.api_key ?? '',
    "an Application's revoked key": application?.revoked_api_key ?? '',
  }
  for (const operation of operations) {
    const broken = operation.requestBody ? { raw: '{"name":' } : {}
    for (const [kind, token] of Object.entries(tokens)) {
      const response = await admin.send(operation.method, somePath(operation), undefined, { token, ...broken })
      expect(response.status, `${operation.method} ${operation.path} with ${kind}: ${response.text}`).toBe(401)
      expectError(response, 'AUTH_INVALID_KEY')
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
    const response = await admin.send(operation.method, somePath(operation), undefined, { token: revoked.token, ...broken })
    expectError(response, 'AUTH_KEY_REVOKED')
  }
})

test('caching: every response has cache-control no-store', async () => {
  expect((await admin.send('GET', '/applications')).headers.get('cache-control')).toBe('no-store')
  expect((await admin.send('GET', '/applications', undefined, { token: null })).headers.get('cache-control')).toBe('no-store')
})

test('routing: 404 for an unknown path and 405 for an unknown method', async () => {
  expectError(await admin.send('GET', '/nothing'), 'NOT_FOUND')
  const response = await admin.send('DELETE', '/applications')
  expectError(response, 'METHOD_NOT_ALLOWED')
  expect(response.headers.get('allow')).toContain('POST')
})
