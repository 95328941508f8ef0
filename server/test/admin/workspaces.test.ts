import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'
import { type Admin, adminClient, type Json, refused } from './client.ts'

let server: TestServer
let admin: Admin
let first: Json
beforeAll(async () => {
  server = await startServer()
  admin = adminClient(server)
  ;[first] = (await admin.get('/workspaces')).data
})
afterAll(() => server.close())

test('who names no Workspace works in the first', async () => {
  await admin.workspace()
  const listed = (await admin.get('/applications')).data
  expect(new Set(listed.map(({ workspace_id }: Json) => workspace_id))).toEqual(new Set([first.id]))
})

test('a Workspace is chosen by id or name, in the header or in the query, which wins', async () => {
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

test('a Workspace that is not there is 404, and nothing happens elsewhere instead', async () => {
  const count = (await admin.get('/applications')).data.length
  for (const workspace of ['nowhere', 'ws_01h455vb4pex5vsknk084sn02q', '']) {
    refused(await admin.send('POST', '/applications', { name: 'lost' }, { workspace }), 'NOT_FOUND')
  }
  expect((await admin.get('/applications')).data).toHaveLength(count)
})

test('what belongs to another Workspace looks like what is not there', async () => {
  const workspace = await admin.workspace()
  const application = await admin.create('/applications', { name: 'theirs' }, { workspace })
  const key = await admin.create(`/applications/${application.id}/keys`, { name: 'theirs' }, { workspace })
  await admin.create('/users', { id: 'their-user', username: 'theirs' }, { workspace })
  await admin.create('/providers', { id: 'theirs', kind: 'stub' }, { workspace })
  await admin.put('/providers/theirs/models/small', {}, { workspace })
  const set = await admin.create('/policy-sets', { source: 'name: theirs\nrules: []\n' }, { workspace })
  const [record] = await admin.records(1, { workspace })
  const [ours] = (await admin.get('/policy-sets')).data

  const foreign: [string, string, unknown?][] = [
    ['GET', `/applications/${application.id}`],
    ['PATCH', `/applications/${application.id}`, { name: 'ours now' }],
    ['GET', `/applications/${application.id}/keys`],
    ['POST', `/applications/${application.id}/keys`, { name: 'mine' }],
    ['POST', `/keys/${key.id}/revoke`],
    ['GET', '/users/their-user'],
    ['PATCH', '/users/their-user', { role: 'x' }],
    ['GET', '/providers/theirs'],
    ['PATCH', '/providers/theirs', { weight: 2 }],
    ['DELETE', '/providers/theirs'],
    ['POST', '/providers/theirs/discover'],
    ['GET', '/providers/theirs/models'],
    ['PUT', '/providers/theirs/models/large', {}],
    ['POST', '/providers/theirs/models', { models: [{ id: 'large' }] }],
    ['DELETE', '/providers/theirs/models/small'],
    ['GET', `/policy-sets/${set.id}`],
    ['GET', `/policy-sets/${set.id}/diff`],
    ['GET', `/policy-sets/${ours.id}/diff?to=${set.id}`],
    ['POST', `/policy-sets/${set.id}/publish`],
    ['POST', '/policy-sets/simulate', { policy_set_id: set.id, request: { messages: [{ role: 'user', content: 'x' }] } }],
    [
      'POST',
      '/policy-sets/simulate',
      { application_id: application.id, request: { messages: [{ role: 'user', content: 'x' }] } },
    ],
    ['GET', `/audit/${record.id}`],
    ['GET', `/audit/${record.id}/proof`],
  ]
  for (const [method, path, json] of foreign) {
    const theirs = await admin.send(method, path, json)
    refused(theirs, 'NOT_FOUND')
    const nobodys = path.replace(/(app|key|pol|aud)_\w+|their-user|theirs/g, (id) =>
      id.includes('_') ? `${id.slice(0, 4)}01h455vb4pex5vsknk084sn02q` : 'nobodys',
    )
    expect((await admin.send(method, nobodys, json)).status).toBe(404)
  }
  for (const path of ['/applications', '/users', '/providers', '/models', '/policy-sets', '/audit?limit=100']) {
    expect((await admin.send('GET', path)).text).not.toMatch(/theirs|their-user/)
  }
  expect((await admin.get(`/audit?application_id=${application.id}`)).data).toEqual([])
})

test('the settings of a Workspace are merged, reset and shown with their defaults [GW-AUD-8]', async () => {
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
    review: { four_eyes: false },
  })
  const reset = await admin.patch(`/workspaces/${id}`, { settings: { audit_retention_days: null }, name: 'renamed' })
  expect(reset).toEqual({ ...patched, name: 'renamed', settings: { ...patched.settings, audit_retention_days: 400 } })
  expect(await admin.get(`/workspaces/${id}`)).toEqual(reset)
  refused(await admin.send('POST', '/workspaces', { name: 'renamed' }), 'CONFLICT', 'name')
  refused(await admin.send('PATCH', `/workspaces/${id}`, { name: first.name }), 'CONFLICT', 'name')
  refused(await admin.send('PATCH', '/workspaces/ws_01h455vb4pex5vsknk084sn02q', { name: 'x' }), 'NOT_FOUND')
})

test('user tokens are refused from the moment their keys are no longer trusted', async () => {
  const [user] = server.demo.users
  const ask = () =>
    fetch(`${server.base}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.demo.applications[0]?.api_key}`,
        'x-gateway-user-token': user?.user_token ?? '',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Good morning' }] }),
    }).then(({ status }) => status)
  expect(await ask()).toBe(200)
  const { jwks } = first.settings
  await admin.patch(`/workspaces/${first.id}`, { settings: { jwks: null } })
  expect(await ask()).toBe(401)
  await admin.patch(`/workspaces/${first.id}`, { settings: { jwks } })
  expect(await ask()).toBe(200)
})
