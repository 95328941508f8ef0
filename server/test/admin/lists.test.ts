import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'
import { adminOperations } from './operations.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)

const ids = (items: readonly Json[]): string[] => items.map(({ id }) => id)

const keys = `/applications/${(await admin.create('/applications', { name: 'with many keys' })).id}/keys`

async function createDocument(key: string): Promise<void> {
  const [{ id }] = (await admin.get('/collections?limit=1')).data
  await admin.post(`/collections/${id}/documents`, { documents: [{ key, content: key }] })
}

const LISTS: readonly { path: string; create: (name: string) => Promise<unknown> }[] = [
  { path: '/workspaces', create: (name) => admin.create('/workspaces', { name }) },
  { path: '/applications', create: (name) => admin.create('/applications', { name }) },
  ...['sort=name', 'sort=-last_used', 'sort=-cost&usage=true'].map((query) => ({
    path: `/applications?${query}`,
    create: (name: string) => admin.create('/applications', { name: `${name} ${query}` }),
  })),
  ...['sort=-name', 'sort=last_signed_in'].map((query) => ({
    path: `/operators?${query}`,
    create: (name: string) => admin.create('/operators', { name, email: `${word()}@example.com`, role: 'auditor' }),
  })),
  { path: keys, create: (name) => admin.create(keys, { name }) },
  { path: '/users', create: (name) => admin.create('/users', { username: name }) },
  { path: '/tokens', create: (name) => admin.create('/tokens', { name }) },
  { path: '/providers', create: (name) => admin.create('/providers', { id: name, kind: 'stub' }) },
  { path: '/providers/demo/models', create: (name) => admin.put(`/providers/demo/models/${name}`, {}) },
  { path: '/models', create: (name) => admin.put(`/providers/demo/models/all-${name}`, {}) },
  {
    path: '/policy-sets',
    create: (name) => admin.create('/policy-sets', { source: JSON.stringify({ name, rules: [] }) }),
  },
  { path: '/collections', create: (name) => admin.create('/collections', { name }) },
  { path: '/documents', create: createDocument },
  { path: '/audit', create: (name) => admin.create('/applications', { name: `for audit ${name}` }) },
]

describe.each(LISTS)('$path', ({ path, create }) => {
  test('paging: each item is on exactly one page, for every page size', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five']) await create(name)
    const complete = await admin.all(path, { limit: 100 })
    expect(new Set(ids(complete)).size).toBe(complete.length)
    for (const limit of [3, 7]) expect(ids(await admin.all(path, { limit }))).toEqual(ids(complete))
  })

  test('paging: existing items keep their order while items are added', async () => {
    const before = ids(await admin.all(path, { limit: 100 }))
    let added = 0
    const between = async () => (added++ < 4 ? create(`added-${added}`) : undefined)
    const paged = await admin.all(path, { limit: 3, between })
    expect(ids(paged).filter((id) => before.includes(id))).toEqual(before)
  })
})

test('paging: a sorted list returns 400 for a cursor whose item is no longer in the list', async () => {
  for (const name of ['a', 'b', 'c']) await admin.create('/operators', { name, email: `${word()}@example.com`, role: 'auditor' })
  const page = await admin.get('/operators?sort=name&limit=2')
  await admin.remove(`/operators/${page.data[1].id}`)
  const next = (path: string, cursor: string, workspace?: string) =>
    admin.send('GET', `${path}&cursor=${cursor}`, undefined, workspace === undefined ? {} : { workspace })
  expectError(await next('/operators?sort=name', page.next_cursor), 'VALIDATION_ERROR', 'cursor')

  for (const name of ['here', 'here too']) await admin.create('/applications', { name })
  const { next_cursor } = await admin.get('/applications?sort=name&limit=1')
  expectError(await next('/applications?sort=name', next_cursor, await admin.workspace()), 'VALIDATION_ERROR', 'cursor')
})

test('limit: 20 by default', async () => {
  for (let i = 0; i < 21; i++) await admin.create('/users', { username: `twenty ${i}` })
  expect((await admin.get('/users')).data).toHaveLength(20)
})

test('cursor: every list returns 400 for a cursor that it did not issue', async () => {
  const lists = (await adminOperations(server)).filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'))
  expect(lists.length).toBeGreaterThanOrEqual(12)
  const [application] = server.demo.applications
  const [user] = server.demo.users
  const webhook = await admin.create('/webhooks', { url: 'https://receiver.example.com/' })
  const budget = await admin.create('/budgets', { name: 'each', scope: 'user', unit: 'tokens', limit: 1, period: 'day' })
  const team = await admin.create('/teams', { name: 'listed' })
  const group = await admin.create('/user-groups', { id: 'listed' })
  for (const { path } of lists) {
    const own = path
      .replace('/applications/{id}', `/applications/${application?.id}`)
      .replace('/users/{id}', `/users/${user?.id}`)
      .replace('/webhooks/{id}', `/webhooks/${webhook.id}`)
      .replace('/budgets/{id}', `/budgets/${budget.id}`)
      .replace('/teams/{id}', `/teams/${team.id}`)
      .replace('/user-groups/{id}', `/user-groups/${group.id}`)
      .replace('{id}', 'demo')
    for (const cursor of ['%2F%2F', 'AA', Buffer.from('\0').toString('base64url'), 'x'.repeat(1_001), 'YQ==']) {
      const response = await admin.send('GET', `${own}?cursor=${cursor}`)
      // Ids in these lists are chosen by operators, so any text can be a valid cursor.
      const isFreeText = /users|groups|providers|models/.test(own) && cursor === 'AA'
      if (!isFreeText || response.status !== 200) expectError(response, 'VALIDATION_ERROR', 'cursor')
    }
  }
})
