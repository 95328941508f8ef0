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

test('visibility: 404 for a collection of another Workspace', async () => {
  const { id } = await create({})
  const elsewhere = { workspace: await admin.workspace() }
  for (const [method, path, body] of [
    ['GET', `/collections/${id}`, undefined],
    ['PATCH', `/collections/${id}`, {}],
    ['DELETE', `/collections/${id}`, undefined],
    ['POST', `/collections/${id}/documents`, { documents: [{ key: 'a', content: 'b' }] }],
    ['GET', `/documents?collection=${id}`, undefined],
  ] as const) {
    expectError(await admin.send(method, path, body, elsewhere), 'NOT_FOUND')
  }
  expect((await admin.get('/collections', elsewhere)).data).toEqual([])
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
