import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, type Json } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()
const users = [
  { id: 'u1', username: 'Ann', department: 'support', attributes: { projects: ['atlas', 'atlas', 'borealis'] } },
  { id: 'u2', username: 'bob%', department: 'support', attributes: { projects: 'atlas' } },
  { id: 'u3', username: 'carol', department: 'legal', attributes: { projects: ['atlas', ''] } },
  { id: 'u4', username: 'dave' },
]
for (const user of users) await admin.create('/users', user, { workspace })

const idsOf = async (query: string): Promise<string[]> =>
  (await admin.get(`/users?${query}`, { workspace })).data.map(({ id }: Json) => id)

test('departments and projects: those that have users, with their number', async () => {
  expect((await admin.get('/departments', { workspace })).data).toEqual([
    { object: 'department', name: 'legal', users: 1 },
    { object: 'department', name: 'support', users: 2 },
  ])
  expect((await admin.get('/projects', { workspace })).data).toEqual([
    { object: 'project', name: 'atlas', users: 2 },
    { object: 'project', name: 'borealis', users: 1 },
  ])
  const elsewhere = { workspace: await admin.workspace() }
  expect((await admin.get('/projects', elsewhere)).data).toEqual([])
})

test('departments: listed in pages', async () => {
  const first = await admin.get('/departments?limit=1', { workspace })
  expect(first).toMatchObject({ data: [{ name: 'legal' }], has_more: true })
  const next = await admin.get(`/departments?limit=1&cursor=${first.next_cursor}`, { workspace })
  expect(next).toMatchObject({ data: [{ name: 'support' }], has_more: false })
})

test('users: found by part of the name, by department and by project', async () => {
  expect(await idsOf('search=AN')).toEqual(['u1'])
  expect(await idsOf('search=u')).toEqual(['u1', 'u2', 'u3', 'u4'])
  expect(await idsOf(`search=${encodeURIComponent('%')}`)).toEqual(['u2'])
  expect(await idsOf('department=support')).toEqual(['u1', 'u2'])
  expect(await idsOf('project=atlas')).toEqual(['u1', 'u3'])
  expect(await idsOf('project=atlas&department=legal&search=car')).toEqual(['u3'])
})
