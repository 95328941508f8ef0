import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { adminClient, expectError, type Json } from './client.ts'
import type { Asked, Send } from './recorded-change.ts'
import { apply, CHANGES, filled, prepare, READS } from './recorded-changes.ts'

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

const REQUESTS: readonly (Asked & { readonly listPath?: string })[] = [...CHANGES, ...READS]
/** Requests for one object of a Workspace. Tokens belong to none. */
const OF_OBJECTS = REQUESTS.filter(({ request, given }) => given || /^(?!.*(workspaces|tokens)).*\{/.test(request))

test.each(OF_OBJECTS)(
  'visibility: $request to another Workspace is 404 without effect, as for an unknown object',
  async (asked) => {
    const workspace = await admin.workspace()
    const create: Send = async (method, path, json) => (await admin.send(method, path, json, { workspace })).body
    const given = await prepare(asked, create, workspace)
    const unknown = Object.fromEntries(
      Object.entries<string>(given).map(([name, id]) => [name, `${id}`.replace(/^(\w{3}_)?.*$/, `$101h455vb4pex5vsknk084sn02q`)]),
    )
    const expectUnknown: Send = async (method, path, json) => expectError(await admin.send(method, path, json), 'NOT_FOUND')
    const list = async () => asked.listPath && admin.get(filled(asked.listPath, given), { workspace })
    const before = await list()
    for (const object of [given, unknown]) await apply(asked, object, expectUnknown)
    expect(await list()).toEqual(before)
  },
)

test('visibility: lists and audit records of another Workspace', async () => {
  const workspace = await admin.workspace()
  await admin.create('/applications', { name: 'foreign' }, { workspace })
  await admin.create('/users', { id: 'foreign-user', username: 'foreign' }, { workspace })
  await admin.create('/providers', { id: 'foreign', kind: 'stub' }, { workspace })
  await admin.put('/providers/foreign/models/small', {}, { workspace })
  const { id: set } = await admin.create('/policy-sets', { source: 'name: foreign\nrules: []\n' }, { workspace })
  await admin.create('/policy-drafts', { title: 'foreign', source: '' }, { workspace })
  const { id: collection } = await admin.create('/collections', { name: 'foreign' }, { workspace })
  const documents = [{ key: 'foreign', content: 'x' }]
  await admin.post(`/collections/${collection}/documents`, { documents }, { workspace })
  const paths = ['applications', 'users', 'providers', 'models', 'policy-sets', 'policy-drafts', 'collections', 'documents']
  for (const path of paths) {
    expect((await admin.send('GET', `/${path}?limit=100`, undefined, { workspace })).text).toContain('foreign')
    expect((await admin.send('GET', `/${path}?limit=100`)).text).not.toContain('foreign')
  }
  const [record] = await admin.records(1, { workspace })
  const [own] = (await admin.get('/policy-sets')).data
  for (const path of [`/audit/${record.id}`, `/audit/${record.id}/proof`, `/policy-sets/${own.id}/diff?to=${set}`])
    expectError(await admin.send('GET', path), 'NOT_FOUND')
  expect((await admin.records(100)).map(({ id }) => id)).not.toContain(record.id)
  const [application] = (await admin.get('/applications', { workspace })).data
  expect((await admin.get(`/audit?application_id=${application.id}`)).data).toEqual([])
})

test('settings: merged, reset and shown with their defaults [GW-AUD-8]', async () => {
  const id = await admin.workspace('with settings')
  const settings = { issuer: 'https://id.example', claims: { department: 'team' }, audit_retention_days: 30 }
  const patched = await admin.patch(`/workspaces/${id}`, { settings })
  expect(patched.settings).toEqual({
    jwks: null,
    issuer: 'https://id.example',
    audience: null,
    claims: { id: 'sub', role: 'role', department: 'team', attributes: 'attributes', groups: 'groups' },
    audit_retention_days: 30,
    message_retention_days: null,
    review: { four_eyes: false, target_minutes: null, reasons: [] },
  })
  const reset = await admin.patch(`/workspaces/${id}`, { settings: { audit_retention_days: null }, name: 'renamed' })
  expect(reset).toEqual({ ...patched, name: 'renamed', settings: { ...patched.settings, audit_retention_days: 400 } })
  expect(await admin.get(`/workspaces/${id}`)).toEqual(reset)
  expectError(await admin.send('POST', '/workspaces', { name: 'renamed' }), 'CONFLICT', 'name')
  expectError(await admin.send('PATCH', `/workspaces/${id}`, { name: first.name }), 'CONFLICT', 'name')
  expectError(await admin.send('PATCH', '/workspaces/ws_01h455vb4pex5vsknk084sn02q', { name: 'x' }), 'NOT_FOUND')
})
