import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()
const support = await admin.create('/applications', { name: 'support' }, { workspace })

const create = (fields: object): Promise<Json> =>
  admin.create('/collections', { name: `c ${crypto.randomUUID()}`, ...fields }, { workspace })

test('create: restricted, without readers, in English and for every Application by default', async () => {
  const created = await create({ name: 'handbook' })
  expect(created).toMatchObject({ object: 'collection', workspace_id: workspace, name: 'handbook', description: '' })
  expect(created).toMatchObject({ classification: null, regulations: [], acl: null, language: 'en', applications: null })
  expect(await admin.get(`/collections/${created.id}`, { workspace })).toEqual(created)
  expect((await admin.get('/collections', { workspace })).data).toContainEqual(created)
})

test('create: lists are sorted without duplicates, and Applications are stored by id', async () => {
  const created = await create({
    description: 'For the support team.',
    classification: 'internal',
    regulations: ['hipaa', 'gdpr', 'gdpr'],
    acl: { roles: ['b', 'a'], users: [] },
    language: 'de',
    applications: ['support', support.id],
  })
  expect(created).toMatchObject({ classification: 'internal', regulations: ['gdpr', 'hipaa'], acl: { roles: ['a', 'b'] } })
  expect(created).toMatchObject({ language: 'de', applications: [support.id] })
})

test('update: changes only the named fields, and null resets a field', async () => {
  const created = await create({
    classification: 'internal',
    acl: 'everyone',
    applications: [],
    description: 'x',
    language: 'none',
  })
  expect(created).toMatchObject({ acl: { everyone: true }, applications: [] })
  const patched = await admin.patch(`/collections/${created.id}`, { acl: { users: ['ann'] } }, { workspace })
  expect(patched).toEqual({ ...created, acl: { users: ['ann'] }, updated_at: patched.updated_at })
  const nulls = { description: null, classification: null, regulations: null, acl: null, language: null, applications: null }
  const reset = await admin.patch(`/collections/${created.id}`, nulls, { workspace })
  expect(reset).toMatchObject({ description: '', classification: null, acl: null, language: 'en', applications: null })
})

test('name: 409 when another collection has it, until that collection is deleted', async () => {
  const [one, other] = [await create({}), await create({})]
  expectError(await admin.send('POST', '/collections', { name: one.name }, { workspace }), 'CONFLICT', 'name')
  expectError(await admin.send('PATCH', `/collections/${other.id}`, { name: one.name }, { workspace }), 'CONFLICT', 'name')
  await admin.remove(`/collections/${one.id}`, { workspace })
  expectError(await admin.send('GET', `/collections/${one.id}`, undefined, { workspace }), 'NOT_FOUND')
  await admin.patch(`/collections/${other.id}`, { name: one.name }, { workspace })
})

describe('body: 400 that names the invalid field', () => {
  test.each([
    [{}, 'name'],
    [{ name: ' x' }, 'name'],
    [{ name: 'x', classification: 'secret' }, 'classification'],
    [{ name: 'x', regulations: 'gdpr' }, 'regulations'],
    [{ name: 'x', regulations: ['a\u0000'] }, 'regulations[0]'],
    [{ name: 'x', acl: 'staff' }, 'acl'],
    [{ name: 'x', acl: { role: ['a'] } }, 'acl.role'],
    [{ name: 'x', acl: { users: 'ann' } }, 'acl.users'],
    [{ name: 'x', acl: { everyone: true, users: ['ann'] } }, 'acl'],
    [{ name: 'x', language: 'klingon' }, 'language'],
    [{ name: 'x', applications: ['support', 'unknown'] }, 'applications[1]'],
    [{ name: 'x', applications: 'support' }, 'applications'],
    [{ name: 'x', description: 'a\u0000' }, 'description'],
  ])('%j', async (body, param) => {
    expectError(await admin.send('POST', '/collections', body, { workspace }), 'VALIDATION_ERROR', param)
  })
})

const settings = { knowledge: { enabled: true } }
const application = await admin.create('/applications', { name: 'desk', ceiling: 'confidential', settings }, { workspace })
const collections = [
  { name: 'open', classification: 'public', acl: 'everyone' },
  { name: 'staff', classification: 'internal', acl: { departments: ['support'] } },
  { name: 'vault', classification: 'restricted', acl: 'everyone' },
  { name: 'elsewhere', classification: 'public', acl: 'everyone', applications: [] },
]
for (const collection of collections) {
  const { id } = await admin.create('/collections', collection, { workspace })
  const documents = [{ key: 'lantern.md', content: `# The ${collection.name} lantern\n\nHow to light the lantern.` }]
  await admin.post(`/collections/${id}/documents`, { documents }, { workspace })
}

const search = (user?: object): Promise<Json> =>
  admin.post('/knowledge/search', { query: 'lantern', application_id: application.id, ...(user && { user }) }, { workspace })
const collectionsOf = (hits: readonly Json[]): string[] => hits.map(({ collection }) => collection).toSorted()

test('search as a user: shows visible hits, and the failed checks of hidden ones', async () => {
  const found = await search({ id: 'ann', department: 'support', attributes: { clearance: 'restricted' } })
  expect(found).toMatchObject({ object: 'knowledge_explanation', enabled: true, ceiling: 'confidential' })
  expect(collectionsOf(found.visible)).toEqual(['open', 'staff'])
  expect(found.visible.flatMap(({ checks }: Json) => checks).every(({ passed }: Json) => passed)).toBe(true)
  const failing = found.hidden.map(({ collection, checks }: Json) => [
    collection,
    checks.filter(({ passed }: Json) => !passed).map(({ rule }: Json) => rule),
  ])
  expect(Object.fromEntries(failing)).toEqual({ vault: ['classification'], elsewhere: ['applications'] })
  expect(found.visible[0].content).toContain('How to light the lantern.')
})

test('search as a user: fewer hits for another department and for an anonymous user', async () => {
  expect(collectionsOf((await search({ id: 'bob', department: 'sales' })).visible)).toEqual(['open'])
  const { visible, hidden } = await search()
  expect(collectionsOf(visible)).toEqual(['open'])
  const [staff] = hidden.filter(({ collection }: Json) => collection === 'staff')
  expect(staff.checks).toContainEqual({
    rule: 'acl',
    passed: false,
    because: "The collection's readers are the department support, and the user is not among them.",
  })
})

test("search as a user: an asserted user has the Application's assertion_clearance", async () => {
  const asserted = { id: 'ann', attributes: { clearance: 'restricted' }, verified: false }
  expect((await search(asserted)).ceiling).toBe('internal')
})

test('search as a user: recorded without the query', async () => {
  await search({ id: 'ann' })
  const [record] = await admin.records(1, { workspace })
  expect(record.change).toMatchObject({ action: 'knowledge.search_as', object_type: 'knowledge', fields: ['content'] })
  expect(JSON.stringify(record)).not.toMatch(/lantern|"ann"/)
})

test('search as a user: 400 for a query of spaces', async () => {
  const body = { query: ' ', application_id: application.id }
  expectError(await admin.send('POST', '/knowledge/search', body, { workspace }), 'VALIDATION_ERROR', 'query')
})
