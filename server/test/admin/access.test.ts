import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { sharedServer } from '../support/shared-server.ts'
import { type Admin, adminClient, refused } from './client.ts'
import { adminOperations, adminRoutes, type Operation, somePath } from './operations.ts'

let server: TestServer
let admin: Admin
let operations: Operation[]
beforeAll(async () => {
  server = await sharedServer()
  admin = adminClient(server)
  operations = await adminOperations(server)
})
afterAll(() => server.close())

test('every route of the admin API is in the document, with its name, its key, its answers and its refusals', () => {
  const documented = operations.map(({ method, path }) => `${method} ${path}`)
  expect(adminRoutes(server.app).toSorted()).toEqual(documented.toSorted())
  expect(documented.length).toBeGreaterThan(45)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { path, method, operationId, tags, security, responses } of operations) {
    const what = `${method} ${path}`
    expect(operationId, what).toMatch(/^[a-z]+[A-Za-z]+$/)
    expect(tags, what).toEqual(['admin'])
    expect(security, what).toEqual([{ adminToken: [] }, { operatorSession: [] }])
    expect(Object.keys(responses), what).toEqual(expect.arrayContaining(['401', '403', '503']))
    const [status = ''] = Object.keys(responses).filter((code) => code.startsWith('2'))
    expect(status === '204' || responses[status]?.content !== undefined, what).toBe(true)
  }
})

test('every route within a Workspace documents how one is chosen, and the others are about Workspaces or oneself', () => {
  for (const { path, parameters } of operations) {
    const choice = parameters.filter(({ name }) => /^(x-gatehouse-)?workspace$/.test(name)).map((parameter) => parameter.in)
    expect(choice.sort(), path).toEqual(/^\/admin\/v1\/(workspaces|session)\b/.test(path) ? [] : ['header', 'query'])
  }
})

test('every route refuses who has no admin token, and does not look at the body', async () => {
  const revoked = await admin.create('/tokens', { name: 'to be revoked' })
  await admin.post(`/tokens/${revoked.id}/revoke`)
  const [application] = server.demo.applications
  const tokens = {
    'no token': null,
    'an invented one': `ga_${'x'.repeat(43)}`,
    'no token at all': 'root',
    "an Application's key": application?.api_key ?? '',
    "an Application's revoked key": application?.revoked_api_key ?? '',
  }
  for (const operation of operations) {
    const broken = operation.requestBody ? { raw: '{"name":' } : {}
    for (const [which, token] of Object.entries(tokens)) {
      const reply = await admin.send(operation.method, somePath(operation), undefined, { token, ...broken })
      expect(reply.status, `${operation.method} ${operation.path} with ${which}: ${reply.text}`).toBe(401)
      refused(reply, 'AUTH_INVALID_KEY')
      expect(reply.headers.get('www-authenticate')).toBe('Bearer')
    }
    const reply = await admin.send(operation.method, somePath(operation), undefined, { token: revoked.token, ...broken })
    refused(reply, 'AUTH_KEY_REVOKED')
  }
})

test('an admin token is no key of an Application', async () => {
  const response = await fetch(`${server.base}/v1/models`, { headers: { authorization: `Bearer ${server.demo.admin_token}` } })
  expect(response.status).toBe(401)
})

test('no answer may be kept in a cache', async () => {
  expect((await admin.send('GET', '/applications')).headers.get('cache-control')).toBe('no-store')
  expect((await admin.send('GET', '/applications', undefined, { token: null })).headers.get('cache-control')).toBe('no-store')
})

test('a path or a method that the admin API does not have is 404 or 405', async () => {
  refused(await admin.send('GET', '/nothing'), 'NOT_FOUND')
  const reply = await admin.send('DELETE', '/applications')
  refused(reply, 'METHOD_NOT_ALLOWED')
  expect(reply.headers.get('allow')).toContain('POST')
})
