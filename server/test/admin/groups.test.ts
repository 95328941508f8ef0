import { beforeAll, describe, expect, test } from 'vitest'
import { generateUserTokenKeys, signUserToken } from '../../src/tools/demo/user-tokens.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'

const governed = await closeAfterAll(startGoverned())
const keys = await generateUserTokenKeys()
const fixture = await createKnowledgeFixture(governed)
const { admin } = governed
const { clock } = governed.server.context

beforeAll(async () => {
  const settings = { jwks: { keys: [keys.publicJwk] }, issuer: null, audience: null }
  expectSuccess(await admin('PATCH', `/workspaces/${governed.demo.workspace.id}`, { json: { settings } }))
  await fixture.put('The heron plan is for engineering.', { key: 'engineering', acl: { groups: ['engineering'] } })
  await fixture.put('The heron plan is for staff.', { key: 'staff', acl: { groups: ['staff'] } })
  await fixture.put('The heron plan is for leads.', { key: 'leads', acl: { roles: ['lead'] } })
  const deny = { groups: ['contractors'] }
  await fixture.put('The heron plan is for all but contractors.', { key: 'inside', acl: { everyone: true, deny } })
})

const putGroup = async (id: string, json: object = {}) =>
  expectSuccess(await admin('POST', '/user-groups', { json: { id, ...json } }), 201)
const members = (id: string, json: object) => admin('POST', `/user-groups/${id}/members`, { json })

/** The last word of each hit: `engineering`, `staff`, `leads`, `contractors`. */
async function found(claims: { readonly sub: string } & Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const now = clock.now()
  const times = { issuedAt: now, expiresAt: new Date(now.getTime() + 300_000) }
  const userToken = await signUserToken(keys.privateJwk, { ...times, ...claims })
  const texts = await fixture.texts('heron plan', {}, { userToken })
  return texts.map((text) => text.replace(/^.* (\w+)\.$/, '$1')).sort()
}

describe('groups of user tokens', () => {
  test('the claim can be a text or a list', async () => {
    expect(await found({ sub: 'ann' })).toEqual(['contractors'])
    expect(await found({ sub: 'ann', groups: 'engineering' })).toEqual(['contractors', 'engineering'])
    expect(await found({ sub: 'ann', groups: ['engineering', 'staff'] })).toEqual(['contractors', 'engineering', 'staff'])
  })

  test('a denied group hides a document for everyone', async () => {
    expect(await found({ sub: 'ann', groups: ['contractors', 'staff'] })).toEqual(['staff'])
  })

  test('each of several roles counts', async () => {
    expect(await found({ sub: 'ann', role: ['agent', 'lead'] })).toEqual(['contractors', 'leads'])
  })
})

describe('groups of the directory', () => {
  test('a user belongs to nested groups, also over a group of the token, and a cycle of groups ends', async () => {
    for (const id of ['staff', 'engineering', 'platform']) await putGroup(id)
    expectSuccess(await members('staff', { add: { groups: ['engineering'] } }))
    expectSuccess(await members('engineering', { add: { groups: ['platform', 'staff'] } }))
    expectSuccess(await members('platform', { add: { users: ['bob'] } }))
    expect(await found({ sub: 'bob' })).toEqual(['contractors', 'engineering', 'staff'])
    expect(await found({ sub: 'ann', groups: ['platform'] })).toEqual(['contractors', 'engineering', 'staff'])
    expect(await found({ sub: 'ann' })).toEqual(['contractors'])
    const { data } = expectSuccess(await admin('GET', '/user-groups?user=bob'))
    expect(data.map(({ id }) => id)).toEqual(['engineering', 'platform', 'staff'])
  })

  test('the Application states a user, whose groups are those of the directory', async () => {
    await putGroup('staff')
    expectSuccess(await members('staff', { add: { users: ['carol'] } }))
    expect(await fixture.texts('heron plan', { governance: { user: { id: 'carol' } } })).toContain('The heron plan is for staff.')
  })

  test('a removed member, a deleted group and an erased user are no longer members', async () => {
    await putGroup('staff')
    expectSuccess(await members('staff', { add: { users: ['dora', 'emil', 'fred'] } }))
    expect(await found({ sub: 'dora' })).toContain('staff')
    expectSuccess(await members('staff', { remove: { users: ['dora'] } }))
    expect(await found({ sub: 'dora' })).not.toContain('staff')
    expectSuccess(await admin('POST', '/users', { json: { id: 'emil', username: 'Emil' } }), 201)
    expect((await admin('DELETE', '/users/emil')).status).toBe(204)
    expect(await found({ sub: 'emil' })).not.toContain('staff')
    expect(await found({ sub: 'fred' })).toContain('staff')
    expect((await admin('DELETE', '/user-groups/staff')).status).toBe(204)
    expect(await found({ sub: 'fred' })).not.toContain('staff')
  })

  test('policies for messages read user.groups', async () => {
    await putGroup('muted')
    for (const id of ['hugo', 'ines']) expectSuccess(await admin('POST', '/users', { json: { id, username: id } }), 201)
    expectSuccess(await members('muted', { add: { users: ['hugo'] } }))
    await governed.publish([{ id: 'no-muted', at: ['message'], when: '"muted" in user.groups', verdict: 'deny' }])
    const create = async (user: string, contact: string) => {
      const { token } = expectSuccess(await admin('POST', `/users/${user}/tokens`, { json: {} }), 201)
      const send = (path: string, json: object) => governed.api('POST', path, { token: String(token), json })
      const { id } = expectSuccess(await send('/v1/conversations', { contact_id: contact }), 201)
      return send('/v1/messages', { conversation_id: id, message: 'hello' })
    }
    expectError(await create('hugo', 'ines'), 'POLICY_DENIED')
    expectSuccess(await create('ines', 'hugo'), 201)
  })

  test('policies read user.groups', async () => {
    await putGroup('interns', { name: 'Interns', source: 'entra' })
    expectSuccess(await members('interns', { add: { users: ['gil'] } }))
    await governed.publish([{ id: 'no-interns', at: ['input'], when: '"interns" in user.groups', verdict: 'deny' }])
    const ask = (user: string) => governed.chat('hello', { governance: { user: { id: user } } }, { token: fixture.token })
    expectError(await ask('gil'), 'POLICY_DENIED')
    expect((await ask('ann')).status).toBe(200)
  })
})

test('groups: changes repeat, members have pages, and unknown groups are 404', async () => {
  const put = { name: 'Sales', source: 'entra' }
  const first = await putGroup('sales', put)
  expect(first).toMatchObject({ id: 'sales', object: 'user_group', ...put, users: 0, groups: 0 })
  const users = Array.from({ length: 45 }, (_, at) => `user ${String(at).padStart(2, '0')}`)
  for (let time = 0; time < 2; time++) expectSuccess(await members('sales', { add: { users, groups: ['emea'] } }))
  expect(await putGroup('sales')).toMatchObject({ ...put, users: 45, groups: 1 })
  const listed: string[] = []
  let cursor = ''
  do {
    const page = expectSuccess(await admin('GET', `/user-groups/sales/members?limit=20${cursor}`))
    listed.push(...page.data.map(({ id }) => String(id)))
    cursor = page.has_more ? `&cursor=${encodeURIComponent(String(page.next_cursor))}` : ''
  } while (cursor !== '')
  expect(listed).toEqual(['emea', ...users])
  expect(expectSuccess(await admin('GET', '/user-groups?source=entra')).data.map(({ id }) => id)).toContain('sales')
  expectError(await admin('GET', '/user-groups/unknown'), 'NOT_FOUND')
  expectError(await members('unknown', { add: { users: ['ann'] } }), 'NOT_FOUND')
  expectError(await admin('GET', '/user-groups/unknown/members'), 'NOT_FOUND')
  expectError(await members('sales', { add: { users: [''] } }), 'VALIDATION_ERROR')
})

test('documents: readers with groups and denials are shown as they were set', async () => {
  const acl = { groups: ['engineering'], deny: { groups: ['contractors'], users: ['eve'] } }
  const id = await fixture.put('The heron table.', { key: 'table', acl })
  expect(expectSuccess(await admin('GET', `/documents/${id}`))).toMatchObject({ acl })
  const collection = { name: 'denying', acl: { everyone: true, deny: { departments: ['sales'] } } }
  expect(expectSuccess(await admin('POST', '/collections', { json: collection }), 201)).toMatchObject(collection)
})
