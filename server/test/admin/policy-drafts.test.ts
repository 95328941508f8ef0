import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)

const FIRST = 'name: drafted\nrules: []\n'
const SECOND = 'name: drafted\nrules:\n  - { id: a, at: [input], when: "true", risk: low }\n'
const create = (fields: object = {}): Promise<Json> =>
  admin.create('/policy-drafts', { title: 'Tidy up', source: FIRST, ...fields })
const auditActions = async (): Promise<string[]> => (await admin.records(5)).map(({ change }: Json) => change?.action)

test('policy draft: is created from the active version, changed, listed and deleted [ADM-API-13]', async () => {
  const active = await admin.create('/policy-sets', { source: FIRST })
  const draft = await create({ note: 'Why' })
  expect(draft).toMatchObject({
    object: 'policy_draft',
    title: 'Tidy up',
    note: 'Why',
    source: FIRST,
    base_version: active.id,
    author_name: 'demo',
    edited_by_name: 'demo',
    revision: 1,
  })
  const changed = await admin.patch(`/policy-drafts/${draft.id}`, { revision: 1, source: 'name: [broken' })
  expect(changed).toMatchObject({ revision: 2, source: 'name: [broken', title: 'Tidy up' })
  const { data } = await admin.get('/policy-drafts')
  expect(data[0]).toMatchObject({ id: draft.id, revision: 2 })
  expect(data[0]).not.toHaveProperty('source')
  await admin.remove(`/policy-drafts/${draft.id}`)
  expectError(await admin.send('GET', `/policy-drafts/${draft.id}`), 'NOT_FOUND')
})

test('policy draft: 409 with the current text when it has another revision, and nothing is lost [ADM-API-13]', async () => {
  const { id } = await create()
  await admin.patch(`/policy-drafts/${id}`, { revision: 1, source: SECOND })
  const response = await admin.send('PATCH', `/policy-drafts/${id}`, { revision: 1, source: 'name: late' })
  const { details, param } = expectError(response, 'CONFLICT')
  expect(param).toBe('revision')
  expect(details).toMatchObject({ reason: 'draft_changed', draft: { id, revision: 2, source: SECOND } })
  expect((await admin.get(`/policy-drafts/${id}`)).source).toBe(SECOND)
})

test('policy draft: of two changes at the same time one is refused', async () => {
  const { id } = await create()
  const change = (source: string) => admin.send('PATCH', `/policy-drafts/${id}`, { revision: 1, source })
  const responses = await Promise.all([change(FIRST), change(SECOND)])
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('policy draft: edits of the text by one operator share an audit record, those of another have their own', async () => {
  const { id } = await create()
  expect((await auditActions())[0]).toBe('policy_draft.create')
  await admin.patch(`/policy-drafts/${id}`, { revision: 1, source: SECOND })
  expect((await auditActions())[0]).toBe('policy_draft.create')
  const { token } = await admin.create('/tokens', { name: 'second author' })
  const edited = await admin.patch(`/policy-drafts/${id}`, { revision: 2, source: FIRST }, { token })
  expect(edited).toMatchObject({ author_name: 'demo', edited_by_name: 'second author' })
  expect((await auditActions())[0]).toBe('policy_draft.update')
  await admin.patch(`/policy-drafts/${id}`, { revision: 3, title: 'Other' }, { token })
  expect((await auditActions()).slice(0, 2)).toEqual(['policy_draft.update', 'policy_draft.update'])
})

test('policy draft: versions of another Workspace are no base', async () => {
  const workspace = await admin.workspace()
  const { base_version } = await create()
  const foreign = await admin.send('POST', '/policy-drafts', { title: 'x', source: FIRST, base_version }, { workspace })
  expectError(foreign, 'VALIDATION_ERROR', 'base_version')
  expect((await admin.create('/policy-drafts', { title: 'x', source: FIRST }, { workspace })).base_version).toBe('none')
})

test('policy draft: 400 for a text that cannot be stored or is too long', async () => {
  const refused = (source: string) => admin.send('POST', '/policy-drafts', { title: 'x', source })
  expectError(await refused('name: \u0000'), 'VALIDATION_ERROR', 'source')
  expectError(await refused('x'.repeat(256 * 1_024 + 1)), 'VALIDATION_ERROR', 'source')
})

test('policy draft: at most 200 in a Workspace', async () => {
  const workspace = await admin.workspace()
  for (let index = 0; index < 200; index++) await admin.create('/policy-drafts', { title: `${index}`, source: '' }, { workspace })
  expectError(await admin.send('POST', '/policy-drafts', { title: 'more', source: '' }, { workspace }), 'CONFLICT')
})

test('publish: stores the note, names the publisher, and deletes the draft with the same text [ADM-API-14]', async () => {
  const [same, edited] = [await create({ source: SECOND }), await create({ source: FIRST })]
  const query = `base_version=${same.base_version}`
  const published = await admin.create(`/policy-sets?${query}&draft=${same.id}`, { source: SECOND, note: 'A first rule' })
  expect(published).toMatchObject({ note: 'A first rule', published_by_name: 'demo' })
  expect((await admin.get(`/policy-sets/${published.id}`)).note).toBe('A first rule')
  expect((await admin.get('/policy-sets')).data[0].note).toBe('A first rule')
  expectError(await admin.send('GET', `/policy-drafts/${same.id}`), 'NOT_FOUND')
  await admin.create(`/policy-sets?draft=${edited.id}`, { source: `${SECOND}# other\n` })
  expect((await admin.get(`/policy-drafts/${edited.id}`)).source).toBe(FIRST)
})
