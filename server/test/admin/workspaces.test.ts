import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(startServer())
const admin = adminClient(server)
const [first] = (await admin.get('/workspaces')).data

test('selection: the first Workspace when none is named', async () => {
  await admin.workspace()
  const listed = (await admin.get('/applications')).data
  expect(new Set(listed.map(({ workspace_id }: Json) => workspace_id))).toEqual(new Set([first.id]))
})

test('selection: by id or name, in the header or the query, and the query has priority', async () => {
  const id = await admin.workspace('the other one')
  const { id: application } = await admin.create('/applications', { name: 'over there' }, { workspace: id })
  const ids = async (path: string, workspace?: string): Promise<string[]> =>
    (await admin.get(path, workspace === undefined ? {} : { workspace })).data.map((item: Json) => item.id)
  expect(await ids('/applications', id)).toEqual([application])
  expect(await ids('/applications', 'the other one')).toEqual([application])
  expect(await ids(`/applications?workspace=${id}`)).toEqual([application])
  expect(await ids('/applications?workspace=the%20other%20one')).toEqual([application])
  expect(await ids(`/applications?workspace=${id}`, first.id)).toEqual([application])
})

test('selection: 404 without effect when the Workspace does not exist', async () => {
  const count = (await admin.get('/applications')).data.length
  for (const workspace of ['nowhere', 'ws_01h455vb4pex5vsknk084sn02q', '']) {
    expectError(await admin.send('POST', '/applications', { name: 'lost' }, { workspace }), 'NOT_FOUND')
  }
  expect((await admin.get('/applications')).data).toHaveLength(count)
})

/** Requests for the objects that {@link createForeignObjects} has created in another Workspace. */
const foreignRequests = (ids: { application: string; key: string; set: string; ownSet: string; record: string }) =>
  [
    ['GET', `/applications/${ids.application}`],
    ['PATCH', `/applications/${ids.application}`, { name: 'renamed' }],
    ['GET', `/applications/${ids.application}/keys`],
    ['POST', `/applications/${ids.application}/keys`, { name: 'own' }],
    ['POST', `/keys/${ids.key}/revoke`],
    ['GET', '/users/foreign-user'],
    ['PATCH', '/users/foreign-user', { role: 'x' }],
    ['GET', '/providers/foreign'],
    ['PATCH', '/providers/foreign', { weight: 2 }],
    ['DELETE', '/providers/foreign'],
    ['POST', '/providers/foreign/discover'],
    ['GET', '/providers/foreign/models'],
    ['PUT', '/providers/foreign/models/large', {}],
    ['POST', '/providers/foreign/models', { models: [{ id: 'large' }] }],
    ['DELETE', '/providers/foreign/models/small'],
    ['GET', `/policy-sets/${ids.set}`],
    ['GET', `/policy-sets/${ids.set}/diff`],
    ['GET', `/policy-sets/${ids.ownSet}/diff?to=${ids.set}`],
    ['POST', `/policy-sets/${ids.set}/publish`],
    ['POST', '/policy-sets/simulate', { policy_set_id: ids.set, request: CHAT_REQUEST }],
    ['POST', '/policy-sets/simulate', { application_id: ids.application, request: CHAT_REQUEST }],
    ['GET', `/audit/${ids.record}`],
    ['GET', `/audit/${ids.record}/proof`],
  ] as const
const CHAT_REQUEST = { messages: [{ role: 'user', content: 'x' }] }

async function createForeignObjects() {
  const workspace = await admin.workspace()
  const { id: application } = await admin.create('/applications', { name: 'foreign' }, { workspace })
  const { id: key } = await admin.create(`/applications/${application}/keys`, { name: 'foreign' }, { workspace })
  await admin.create('/users', { id: 'foreign-user', username: 'foreign' }, { workspace })
  await admin.create('/providers', { id: 'foreign', kind: 'stub' }, { workspace })
  await admin.put('/providers/foreign/models/small', {}, { workspace })
  const { id: set } = await admin.create('/policy-sets', { source: 'name: foreign\nrules: []\n' }, { workspace })
  const [record] = await admin.records(1, { workspace })
  const [ownSet] = (await admin.get('/policy-sets')).data
  return { application, key, set, ownSet: ownSet.id, record: record.id }
}

test('visibility: objects of another Workspace look like unknown ones', async () => {
  const ids = await createForeignObjects()
  for (const [method, path, json] of foreignRequests(ids)) {
    expectError(await admin.send(method, path, json), 'NOT_FOUND')
    const unknown = path.replace(/(app|key|pol|aud)_\w+|foreign-user|foreign/g, (id) =>
      id.includes('_') ? `${id.slice(0, 4)}01h455vb4pex5vsknk084sn02q` : 'unknown',
    )
    expect((await admin.send(method, unknown, json)).status).toBe(404)
  }
  for (const path of ['/applications', '/users', '/providers', '/models', '/policy-sets', '/audit?limit=100']) {
    expect((await admin.send('GET', path)).text).not.toContain('foreign')
  }
  expect((await admin.get(`/audit?application_id=${ids.application}`)).data).toEqual([])
})

test('settings: merged, reset and shown with their defaults [GW-AUD-8]', async () => {
  const id = await admin.workspace('with settings')
  const settings = { issuer: 'https://id.example', claims: { department: 'team' }, audit_retention_days: 30 }
  const patched = await admin.patch(`/workspaces/${id}`, { settings })
  expect(patched.settings).toEqual({
    jwks: null,
    issuer: 'https://id.example',
    audience: null,
    claims: { id: 'sub', role: 'role', department: 'team', attributes: 'attributes' },
    audit_retention_days: 30,
    message_retention_days: null,
    review: { four_eyes: false, target_minutes: null },
  })
  const reset = await admin.patch(`/workspaces/${id}`, { settings: { audit_retention_days: null }, name: 'renamed' })
  expect(reset).toEqual({ ...patched, name: 'renamed', settings: { ...patched.settings, audit_retention_days: 400 } })
  expect(await admin.get(`/workspaces/${id}`)).toEqual(reset)
  expectError(await admin.send('POST', '/workspaces', { name: 'renamed' }), 'CONFLICT', 'name')
  expectError(await admin.send('PATCH', `/workspaces/${id}`, { name: first.name }), 'CONFLICT', 'name')
  expectError(await admin.send('PATCH', '/workspaces/ws_01h455vb4pex5vsknk084sn02q', { name: 'x' }), 'NOT_FOUND')
})

test('user tokens: 401 from the next request on when their keys are removed', async () => {
  const [user] = server.demo.users
  const chat = () =>
    fetch(`${server.base}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.demo.applications[0]?.api_key}`,
        'x-gateway-user-token': user?.user_token ?? '',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Good morning' }] }),
    }).then(({ status }) => status)
  expect(await chat()).toBe(200)
  const { jwks } = first.settings
  await admin.patch(`/workspaces/${first.id}`, { settings: { jwks: null } })
  expect(await chat()).toBe(401)
  await admin.patch(`/workspaces/${first.id}`, { settings: { jwks } })
  expect(await chat()).toBe(200)
})
