import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { sharedServer } from '../support/shared-server.ts'
import { type Admin, adminClient, type Json, refused } from './client.ts'
import { adminOperations } from './operations.ts'

let server: TestServer
let admin: Admin
beforeAll(async () => {
  server = await sharedServer()
  admin = adminClient(server)
})
afterAll(() => server.close())

/** All pages of a list, one after the other; `between` happens after each. */
async function walk(path: string, limit: number, between: (page: Json) => Promise<unknown> = async () => {}): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor = '', pages = 0; pages < 200; pages++) {
    const page = await admin.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`)
    expect(page.object).toBe('list')
    expect(page.data.length).toBeLessThanOrEqual(limit)
    expect(page.has_more).toBe(page.next_cursor !== null)
    all.push(...page.data)
    if (!page.has_more) return all
    await between(page)
    cursor = encodeURIComponent(page.next_cursor)
  }
  throw new Error(`${path} has no end`)
}

const ids = (items: readonly Json[]): string[] => items.map(({ id }) => id)

async function makeDocument(key: string): Promise<void> {
  const [{ id }] = (await admin.get('/collections?limit=1')).data
  await admin.post(`/collections/${id}/documents`, { documents: [{ key, content: key }] })
}

const LISTS: readonly { path: string; make: (name: string) => Promise<unknown> }[] = [
  { path: '/workspaces', make: (name) => admin.create('/workspaces', { name }) },
  { path: '/applications', make: (name) => admin.create('/applications', { name }) },
  { path: '/users', make: (name) => admin.create('/users', { username: name }) },
  { path: '/tokens', make: (name) => admin.create('/tokens', { name }) },
  { path: '/providers', make: (name) => admin.create('/providers', { id: name, kind: 'stub' }) },
  { path: '/providers/demo/models', make: (name) => admin.put(`/providers/demo/models/${name}`, {}) },
  { path: '/models', make: (name) => admin.put(`/providers/demo/models/all-${name}`, {}) },
  {
    path: '/policy-sets',
    make: (name) => admin.create('/policy-sets', { source: JSON.stringify({ name, rules: [] }) }),
  },
  { path: '/collections', make: (name) => admin.create('/collections', { name }) },
  { path: '/documents', make: makeDocument },
  { path: '/audit', make: (name) => admin.create('/applications', { name: `for audit ${name}` }) },
]

describe.each(LISTS)('$path', ({ path, make }) => {
  test('every item is on one page, whatever the size of pages', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five']) await make(name)
    const whole = await walk(path, 100)
    expect(new Set(ids(whole)).size).toBe(whole.length)
    for (const limit of [3, 7]) expect(ids(await walk(path, limit))).toEqual(ids(whole))
  })

  test('what was there stays in its place while more is added', async () => {
    const before = ids(await walk(path, 100))
    let added = 0
    const walked = await walk(path, 3, () => (added++ < 4 ? make(`added-${added}`) : Promise.resolve()))
    expect(ids(walked).filter((id) => before.includes(id))).toEqual(before)
  })
})

test("an Application's keys are paged, and the key itself is on no page", async () => {
  const { id } = await admin.create('/applications', { name: 'with many keys' })
  const issued: Json[] = []
  for (let i = 0; i < 5; i++) issued.push(await admin.create(`/applications/${id}/keys`, { name: `key ${i}` }))
  const listed = await walk(`/applications/${id}/keys`, 2)
  expect(ids(listed)).toEqual(ids(issued))
  for (const { key } of issued) expect(JSON.stringify(listed)).not.toContain(key)
})

test('a page has 20 items unless asked for, and a missing query is no error', async () => {
  for (let i = 0; i < 21; i++) await admin.create('/users', { username: `twenty ${i}` })
  expect((await admin.get('/users')).data).toHaveLength(20)
})

test('every list refuses a cursor that it has not given out', async () => {
  const lists = (await adminOperations(server)).filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'))
  expect(lists.length).toBeGreaterThanOrEqual(12)
  const [application] = server.demo.applications
  const [user] = server.demo.users
  const webhook = await admin.create('/webhooks', { url: 'https://receiver.example.com/' })
  for (const { path } of lists) {
    const own = path
      .replace('/applications/{id}', `/applications/${application?.id}`)
      .replace('/users/{id}', `/users/${user?.id}`)
      .replace('/webhooks/{id}', `/webhooks/${webhook.id}`)
      .replace('{id}', 'demo')
    for (const cursor of ['%2F%2F', 'AA', Buffer.from('\0').toString('base64url'), 'x'.repeat(1_001), 'YQ==']) {
      const reply = await admin.send('GET', `${own}?cursor=${cursor}`)
      // Keys of these lists are anybody's choice: every text may be one.
      const free = /users|providers|models/.test(own) && cursor === 'AA'
      if (!free || reply.status !== 200) refused(reply, 'VALIDATION_ERROR', 'cursor')
    }
  }
})
