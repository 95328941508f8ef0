import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { signInOperator } from '../support/operators.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()

const DENIED = { page: 'audit', name: 'Denied yesterday', query: { verdict: 'deny', period: '24h' }, columns: ['event', 'rules'] }

type SignedIn = Awaited<ReturnType<typeof signInOperator>>
const viewsOf = ({ browser }: SignedIn) => ({
  list: async (page = ''): Promise<Json[]> =>
    (await browser.get(`/admin/v1/views?workspace=${workspace}${page && `&page=${page}`}`)).body.data,
  create: (json: object) => browser.post(`/admin/v1/views?workspace=${workspace}`, json),
  update: (id: string, json: object) => browser.send('PATCH', `/admin/v1/views/${id}?workspace=${workspace}`, json),
  remove: (id: string) => browser.send('DELETE', `/admin/v1/views/${id}?workspace=${workspace}`),
})
const signIn = async (role: Parameters<typeof signInOperator>[1]) => viewsOf(await signInOperator(server, role))
const countRecords = async () => (await admin.records(100, { workspace })).length

test('views: an operator saves, changes and deletes a view of their own, which is not recorded [ADM-VIEW-1]', async () => {
  const own = await signIn('read_only')
  const before = await countRecords()
  const { status, body } = await own.create(DENIED)
  expect([status, body]).toEqual([201, { ...body, ...DENIED, object: 'view', shared: false, can_edit: true }])
  expect((await own.update(body.id, { name: 'Denied', columns: null })).body).toMatchObject({ name: 'Denied', columns: null })
  await own.create({ ...DENIED, page: 'usage' })
  expect((await own.list('audit')).map(({ name }) => name)).toEqual(['Denied'])
  expect(await own.list()).toHaveLength(2)
  expect((await own.remove(body.id)).status).toBe(204)
  expect(await own.list('audit')).toEqual([])
  expect(await countRecords()).toBe(before)
})

test("views: another operator's private view cannot be distinguished from an absent one", async () => {
  const [own, others] = [await signIn('policy_author'), await signIn('owner')]
  const { body } = await own.create({ ...DENIED, name: 'private' })
  expect((await others.list()).map(({ id }) => id)).not.toContain(body.id)
  for (const id of [body.id, 'viw_01h455vb4pex5vsknk084sn02q']) {
    expectError(await others.update(id, { name: 'taken' }), 'NOT_FOUND')
    expectError(await others.remove(id), 'NOT_FOUND')
  }
})

test('views: a shared view is visible to all, and changed only by its owner and with workspaces:write [ADM-VIEW-2]', async () => {
  const [author, reviewer, owner] = [await signIn('policy_author'), await signIn('reviewer'), await signIn('owner')]
  const { body } = await author.create({ ...DENIED, name: 'for all', shared: true })
  const [seen] = (await reviewer.list('audit')).filter(({ id }) => id === body.id)
  expect(seen).toMatchObject({ shared: true, can_edit: false, query: DENIED.query, owner: { name: expect.any(String) } })
  expectError(await reviewer.update(body.id, { name: 'own' }), 'FORBIDDEN')
  expectError(await reviewer.remove(body.id), 'FORBIDDEN')
  expect((await owner.update(body.id, { name: 'for everyone' })).status).toBe(200)
  expect((await owner.update(body.id, { shared: false })).status).toBe(200)
  // It is private to its owner again.
  expect((await owner.list()).map(({ id }) => id)).not.toContain(body.id)
  expect((await author.list()).map(({ id }) => id)).toContain(body.id)
  const actions = (await admin.records(3, { workspace })).map(({ change }) => [change.action, change.fields])
  expect(actions).toEqual([
    ['view.update', ['shared']],
    ['view.update', ['name']],
    ['view.create', ['page', 'name', 'query', 'columns', 'shared']],
  ])
})

test('views: an operator who can only read cannot share a view', async () => {
  const reader = await signIn('read_only')
  expectError(await reader.create({ ...DENIED, name: 'pushed', shared: true }), 'FORBIDDEN')
  const { body } = await reader.create({ ...DENIED, name: 'kept' })
  expectError(await reader.update(body.id, { shared: true }), 'FORBIDDEN')
})

test('views: 409 for a second view of a page with the same name, and for too many views', async () => {
  const own = await signIn('auditor')
  const { body } = await own.create({ ...DENIED, name: 'first' })
  expectError(await own.create({ ...DENIED, name: 'first' }), 'CONFLICT', 'name')
  const second = await own.create({ ...DENIED, name: 'second' })
  expectError(await own.update(second.body.id, { name: 'first' }), 'CONFLICT', 'name')
  expect((await own.update(body.id, { name: 'first', query: {} })).status).toBe(200)
  const statuses: number[] = []
  for (let number = 2; number <= 100; number += 1) {
    statuses.push((await own.create({ page: 'users', name: `number ${number}`, query: {} })).status)
  }
  expect([new Set(statuses.slice(0, -1)), statuses.at(-1)]).toEqual([new Set([201]), 409])
})

test('views: 400 that names the field when a view is too large or has other fields', async () => {
  const own = await signIn('auditor')
  const refused = async (fields: object, param: string) =>
    expectError(await own.create({ ...DENIED, name: 'refused', ...fields }), 'VALIDATION_ERROR', param)
  const letters = (count: number) => 'x'.repeat(count)
  await refused({ query: { user: letters(201) } }, 'query.user')
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`f_${'abcdefghijklmnopqrstuvwxyzABCD'[index]}`, letters(150)]),
  )
  await refused({ query: many }, 'query')
  await refused({ page: '../users' }, 'page')
  await refused({ name: letters(81) }, 'name')
  await refused({ columns: ['<b>'] }, 'columns[0]')
})

test('views: private views of an operator are deleted with the operator', async () => {
  const operator = await signInOperator(server, 'auditor')
  const { id } = operator
  const own = viewsOf(operator)
  await own.create({ ...DENIED, name: 'goes' })
  const kept = await own.create({ ...DENIED, name: 'stays', shared: true })
  await admin.remove(`/operators/${id}`)
  const { data } = await admin.get('/views?limit=100', { workspace })
  expect(data.find(({ id: view }: Json) => view === kept.body.id)).toMatchObject({ owner: { name: null }, can_edit: true })
  const rows = await server.context.db.selectFrom('saved_view').select('name').where('owner', '=', id).execute()
  expect(rows).toEqual([{ name: 'stays' }])
})

test('views: 409 when the shared view of a removed operator would become private, and invisible', async () => {
  const operator = await signInOperator(server, 'policy_author')
  const { body } = await viewsOf(operator).create({ ...DENIED, name: 'of a removed operator', shared: true })
  await admin.remove(`/operators/${operator.id}`)
  const path = `/views/${body.id}`
  expectError(await admin.send('PATCH', path, { shared: false }, { workspace }), 'CONFLICT')
  expect((await admin.send('PATCH', path, { name: 'renamed' }, { workspace })).status).toBe(200)
  expect((await admin.send('DELETE', path, undefined, { workspace })).status).toBe(204)
})

test('views: an operator who can now only read cannot change or delete an own shared view, but the private ones', async () => {
  const operator = await signInOperator(server, 'policy_author')
  const shared = (await viewsOf(operator).create({ ...DENIED, name: 'seen by all', shared: true })).body
  const own = (await viewsOf(operator).create({ ...DENIED, name: 'own' })).body
  await admin.send('PATCH', `/operators/${operator.id}`, { role: 'read_only' })
  await operator.browser.signIn(operator.email)
  const views = viewsOf(operator)
  expectError(await views.update(shared.id, { query: {} }), 'FORBIDDEN')
  expectError(await views.remove(shared.id), 'FORBIDDEN')
  expect((await views.list()).find(({ id }) => id === shared.id)).toMatchObject({ can_edit: false })
  expect((await views.update(own.id, { name: 'still own' })).status).toBe(200)
})

test('views: lists of the dashboard keep views of their own', async () => {
  const own = await signIn('auditor')
  const queries = {
    reviews: { kind: 'hold', assignee: 'me', rule: 'payments' },
    users: { department: 'support' },
    memory: { scope: 'department', scopeId: 'support', history: 'true' },
    documents: { only: 'flagged' },
  }
  for (const [page, query] of Object.entries(queries)) {
    expect((await own.create({ page, name: 'Mine', query })).body).toMatchObject({ page, query, columns: null })
    expect((await own.list(page)).map((view) => view.query)).toEqual([query])
  }
})

test("views: a view with a user's id is deleted when the user is erased, and others stay", async () => {
  const own = await signIn('policy_author')
  const other = await admin.workspace()
  const id = `erased-${crypto.randomUUID()}`
  const user = { id, username: `Erased ${crypto.randomUUID()}` }
  for (const each of [workspace, other]) await admin.create('/users', user, { workspace: each })
  const filters = [
    { page: 'audit', query: { user: id, verdict: 'deny' } },
    { page: 'memory', query: { scope: 'user', scopeId: id } },
    { page: 'users', query: { search: id } },
    { page: 'users', query: { search: user.username.toUpperCase() } },
  ]
  const others = [
    { page: 'audit', query: { user: `${id}0`, rule: id } },
    { page: 'memory', query: { scope: 'department', scopeId: id } },
    { page: 'users', query: { search: `${id}0` } },
  ]
  const create = (views: readonly object[], name: string) =>
    Promise.all(views.map(async (view, index) => (await own.create({ ...view, name: `${name} ${index}` })).body.id))
  const [filtered, kept] = [await create(filters, 'of the user'), await create(others, 'of another')]
  const elsewhere: string[] = []
  for (const [index, filter] of filters.entries()) {
    const view = { ...filter, name: `elsewhere ${index}`, shared: true }
    elsewhere.push((await admin.create('/views', view, { workspace: other })).id)
  }
  await admin.remove(`/users/${id}`, { workspace })
  const left = (await own.list()).map((view) => view.id)
  expect(left.filter((view) => [...filtered, ...kept].includes(view)).toSorted()).toEqual(kept.toSorted())
  const leftElsewhere = (await admin.get('/views', { workspace: other })).data
  expect(leftElsewhere.map((view: Json) => view.id).toSorted()).toEqual(elsewhere.toSorted())
})
