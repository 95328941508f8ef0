import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError } from './client.ts'
import { adminOperations, type Operation, somePath } from './operations.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const operations = (await adminOperations(server)).filter(({ requestBody }) => requestBody)

/** A path whose handler validates the body. The playground needs an existing Application, because its body is a chat. */
const pathFor = (operation: Operation): string =>
  operation.operationId === 'chatAsApplication'
    ? `/admin/v1/applications/${server.demo.applications[0]?.id}/chat`
    : somePath(operation)

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('body of every operation', () => {
  const checkEach = async (check: (path: string, operation: Operation) => Promise<void>): Promise<void> => {
    expect(operations.length).toBeGreaterThanOrEqual(18)
    for (const operation of operations) await check(pathFor(operation), operation)
  }

  test.each([
    ['invalid JSON', '{"name":'],
    ['two JSON values', '{} {}'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['the key __proto__', '{"__proto__": {"name": "x"}}'],
    ['the key constructor', '{"name": "x", "settings": {"constructor": 1}}'],
    ['half of a surrogate pair', '{"name": "\\ud800"}'],
    ['too many levels', deep(40)],
    ['a list', '[]'],
    ['a text', '"name"'],
    ['null', 'null'],
  ])('400 when it is or has %s', (_, raw) =>
    checkEach(async (path, { method, operationId }) => {
      const response = await admin.send(method, path, undefined, { raw })
      expect(`${operationId} ${response.status}`).toBe(`${operationId} 400`)
      expectError(response, 'VALIDATION_ERROR')
    }),
  )

  test('415 when the media type is not JSON', () =>
    checkEach(async (path, { method, operationId }) => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/xml']) {
        const response = await admin.send(method, path, undefined, { raw: 'name=x', type })
        expect(`${operationId} ${response.status}`).toBe(`${operationId} 415`)
        expectError(response, 'UNSUPPORTED_MEDIA_TYPE')
      }
    }))

  test('413 when it is too large', () =>
    checkEach(async (path, { method, operationId }) => {
      // A chat in the playground has the limit of a chat, 16 MiB.
      const bytes = operationId === 'chatAsApplication' ? 17_000_000 : 1_100_000
      const response = await admin.send(method, path, { name: 'x'.repeat(bytes) })
      expect(`${operationId} ${response.status}`).toBe(`${operationId} 413`)
      expectError(response, 'PAYLOAD_TOO_LARGE')
    }))
})

const CHAT_REQUEST = { messages: [{ role: 'user', content: 'hello' }] }

test.each([
  ['POST', '/workspaces', {}, 'name'],
  ['POST', '/workspaces', { name: ' x' }, 'name'],
  ['POST', '/workspaces', { name: 'x', settings: { audience: [] } }, 'settings.audience'],
  ['POST', '/workspaces', { name: 'x', settings: { audiance: 'y' } }, 'settings.audiance'],
  ['POST', '/workspaces', { name: 'x', settings: { jwks: { keys: [{ kty: 'oct', k: 'AA' }] } } }, 'settings.jwks.keys[0]'],
  ['POST', '/applications', { name: '' }, 'name'],
  ['POST', '/applications', { name: 'x', limits: { burst: 0 } }, 'limits.burst'],
  ['POST', '/applications', { name: 'x', limits: { burst: '5' } }, 'limits.burst'],
  ['POST', '/applications', { name: 'x', settings: { extensions: ['shell'] } }, 'settings.extensions[0]'],
  ['POST', '/applications', { name: 'x', settings: { note: 'a\u0000b' } }, 'settings'],
  ['POST', '/applications', { name: 'x', ceiling: 'secret' }, 'ceiling'],
  ['POST', '/users', { id: 'x' }, 'username'],
  ['POST', '/users', { username: 'x', role: 7 }, 'role'],
  ['POST', '/users', { username: 'x', attributes: [] }, 'attributes'],
  ['POST', '/tokens', {}, 'name'],
  ['POST', '/providers', { base_url: 'https://api.example.com' }, 'id'],
  ['POST', '/providers', { id: 'Bad Id', base_url: 'https://api.example.com' }, 'id'],
  ['POST', '/providers', { id: 'x' }, 'base_url'],
  ['POST', '/providers', { id: 'x', base_url: 'https://api.example.com', timeout_ms: 1.5 }, 'timeout_ms'],
  ['POST', '/providers', { id: 'x', base_url: 'https://api.example.com', timeout_ms: 0 }, 'timeout_ms'],
  ['POST', '/providers', { id: 'x', base_url: 'https://api.example.com', region: 'e\u0000u' }, 'region'],
  ['POST', '/providers', { id: 'x', base_url: 'https://api.example.com', headers: { host: 'y' } }, 'headers.host'],
  ['POST', '/providers', { id: 'x', kind: 'vendor' }, 'kind'],
  ['PATCH', '/providers/demo', { weight: -1 }, 'weight'],
  ['POST', '/providers/demo/models', { models: [{ id: 'a' }, { id: 'b', input_price: -1 }] }, 'models[1].input_price'],
  ['POST', '/providers/demo/models', { models: [{ id: 'a' }, { id: 'a' }] }, 'models[1].id'],
  ['POST', '/providers/demo/models', { models: [] }, 'models'],
  ['PUT', '/providers/demo/models/a*b', {}, 'id'],
  ['POST', '/policy-sets', {}, 'source'],
  ['POST', '/policy-sets/simulate', {}, 'request'],
  ['POST', '/policy-sets/simulate', { request: {} }, 'request.messages'],
  ['POST', '/policy-sets/simulate', { request: { messages: [{ role: 'user', content: 7 }] } }, 'request.messages[0].content'],
  ['POST', '/policy-sets/simulate', { request: { ...CHAT_REQUEST, tools: [{}] } }, 'request.tools[0].type'],
  ['POST', '/policy-sets/simulate', { request: CHAT_REQUEST, point: 'output' }, 'response'],
  ['POST', '/policy-sets/simulate', { request: CHAT_REQUEST, source: 'x', policy_set_id: 'y' }, 'policy_set_id'],
  ['POST', '/reviews/rev_01h455vb4pex5vsknk084sn02q/approve', { comment: 7 }, 'comment'],
  ['POST', '/reviews/rev_01h455vb4pex5vsknk084sn02q/deny', { comment: 'a\u0000b' }, 'comment'],
  ['POST', '/reviews/rev_01h455vb4pex5vsknk084sn02q/assign', { operator_id: 'opr_\u0000' }, 'operator_id'],
  ['POST', '/audit/verify', { checkpoint: {} }, 'checkpoint.object'],
  ['GET', '/applications?limit=0', undefined, 'limit'],
  ['GET', '/applications?limit=101', undefined, 'limit'],
  ['GET', '/applications?limit=ten', undefined, 'limit'],
  ['GET', '/applications?limit=5&limit=6', undefined, 'limit'],
  ['GET', '/reviews?state=waiting', undefined, 'state'],
  ['GET', '/reviews?application_id=app_1', undefined, 'application_id'],
  ['GET', '/audit?from=yesterday', undefined, 'from'],
  ['GET', '/audit?status=ok', undefined, 'status'],
  ['GET', '/audit?from=2016-12-31T23:59:60Z', undefined, 'from'],
  ['GET', '/audit?to=9999-12-31T23:59:59-23:59', undefined, 'to'],
  ['GET', '/audit?from=0000-12-31T23:59:59Z', undefined, 'from'],
  ['GET', '/overview?to=9999-12-31T23:59:59-23:59', undefined, 'to'],
  ['GET', '/audit?application_id=x', undefined, 'application_id'],
  ['GET', '/audit/export?to=2026-13-01T00:00:00Z', undefined, 'to'],
] as const)('%s %s with %j: 400 that names %s', async (method, path, json, param) => {
  expectError(await admin.send(method, path, json), 'VALIDATION_ERROR', param)
})

test('paths: 404 when a name in the path has U+0000', async () => {
  for (const path of ['/providers/a%00b', '/users/a%00b', '/providers/demo/models/a%00b']) {
    expectError(await admin.send(path.includes('/models/') ? 'DELETE' : 'GET', path), 'NOT_FOUND')
  }
})

test('queries: 400 that names the parameter when a text has U+0000, in every operation', async () => {
  for (const { method, parameters, ...operation } of (await adminOperations(server)).filter(({ method }) => method === 'GET')) {
    for (const { name } of parameters.filter((parameter) => parameter.in === 'query')) {
      const refused = await admin.send(method, `${somePath(operation)}?${name}=a%00b`)
      expect([refused.status, refused.body.error?.param], `${operation.path} ${name}`).toEqual([400, name])
    }
  }
})

test('fields: unknown fields are ignored', async () => {
  const application = await admin.create('/applications', { name: 'with more', colour: 'blue' })
  expect(application).not.toHaveProperty('colour')
})
