import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()
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
    because: "The collection's ACL permits the department support, and the user is not among them.",
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

test('search as a user: 404 for an Application of another Workspace', async () => {
  const elsewhere = { workspace: await admin.workspace() }
  const body = { query: 'lantern', application_id: application.id }
  expectError(await admin.send('POST', '/knowledge/search', body, elsewhere), 'NOT_FOUND')
  expectError(await admin.send('POST', '/knowledge/search', { ...body, query: ' ' }, { workspace }), 'VALIDATION_ERROR', 'query')
})
