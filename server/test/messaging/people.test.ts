import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Admin, adminClient } from '../admin/client.ts'
import type { TestServer } from '../support/server.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type Member } from './client.ts'

let server: TestServer
let admin: Admin
let ann: Member
let ben: Member
let cleo: Member
beforeAll(async () => {
  server = await sharedServer()
  admin = adminClient(server)
  ;({ ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo']))
})
afterAll(() => server.close())

const emitted = async (type: string): Promise<{ audience: string[]; payload: unknown }[]> => {
  const outbox = await server.context.db
    .selectFrom('event_outbox')
    .select(['audience', 'payload'])
    .where('type', '=', type)
    .execute()
  const log = await server.context.db.selectFrom('event_log').select(['audience', 'payload']).where('type', '=', type).execute()
  return [...log, ...outbox] as { audience: string[]; payload: unknown }[]
}

describe('access tokens', () => {
  test('access token: is shown once and gives access to the messaging API only when it is created', async () => {
    const issued = await admin.create(`/users/${ann.id}/tokens`, { name: 'phone' })
    expect(issued).toEqual({
      id: expect.stringMatching(/^tok_/),
      object: 'access_token',
      user_id: ann.id,
      name: 'phone',
      issued_by: expect.stringMatching(/^adm_/),
      token: expect.stringMatching(/^gu_[\w-]{43}$/),
      created_at: expect.stringMatching(/Z$/),
      revoked_at: null,
    })
    expect((await ann.send('GET', '/contacts', undefined, { token: issued.token })).status).toBe(200)
    expect((await ann.send('GET', '/models', undefined, { token: issued.token })).status).toBe(401)
    expect((await admin.send('GET', '/users', undefined, { token: issued.token })).status).toBe(401)
    const { data } = await admin.get(`/users/${ann.id}/tokens`)
    expect(data.at(-1)).toMatchObject({ id: issued.id, name: 'phone' })
    expect(JSON.stringify(data)).not.toContain(issued.token)
    expect(server.logs()).not.toContain(issued.token)
  })

  test('access token: next request gets 401 when the token is revoked, and no audit record contains the token', async () => {
    const { id, token } = await admin.create(`/users/${ann.id}/tokens`)
    expect((await ann.send('GET', '/contacts', undefined, { token })).status).toBe(200)
    const revoked = await admin.post(`/access-tokens/${id}/revoke`)
    await ann.refused('AUTH_KEY_REVOKED', 'GET', '/contacts', undefined, { token })
    expect(await admin.post(`/access-tokens/${id}/revoke`)).toEqual(revoked)
    expect(JSON.stringify(await admin.records())).not.toContain(token)
    expect((await admin.send('POST', '/access-tokens/tok_01h455vb4pex5vsknk084sn02q/revoke')).status).toBe(404)
  })

  test('access token: request to create or list tokens gets 404 when the user does not exist', async () => {
    expect((await admin.send('POST', '/users/nobody/tokens', {})).status).toBe(404)
    expect((await admin.send('GET', '/users/nobody/tokens')).status).toBe(404)
  })

  test('access token: request gets 401 before its body is read when the token is missing or another credential is sent', async () => {
    const [application] = server.demo.applications
    for (const token of [null, `gu_${'x'.repeat(43)}`, application?.api_key ?? '', server.demo.admin_token, 'a.b.c']) {
      await ann.refused('AUTH_INVALID_KEY', 'POST', '/groups', undefined, {
        token,
        raw: '{"name":',
        headers: { 'content-type': 'application/json' },
      })
    }
  })

  test('user token: gives access to the messaging API when a key of the Workspace verifies it, also for a new user', async () => {
    const [user] = server.demo.users
    const token = user?.user_token ?? ''
    const reply = await ann.send('GET', `/contacts/${user?.id}`, undefined, { token })
    expect([reply.status, reply.body?.id]).toEqual([200, user?.id])
    await ann.refused('AUTH_INVALID_KEY', 'GET', '/contacts', undefined, { token: `${token.slice(0, -8)}AAAAAAAA` })
  })
})

describe('contacts', () => {
  test('contacts: list holds the other users of the Workspace, sorted by username [MSG-RES-1]', async () => {
    const { data } = await ann.get('/contacts?limit=100')
    const ids = data.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(expect.arrayContaining([ben.id, cleo.id]))
    expect(ids).not.toContain(ann.id)
    expect(data.map(({ username }: { username: string }) => username)).toEqual(ids.toSorted())
    expect((await ann.get(`/contacts?username=${ben.id}`)).data).toEqual([await ann.get(`/contacts/${ben.id}`)])
  })

  test('contacts: contact has every field, and a generated picture when the user has none [MSG-RES-1, MSG-RES-7]', async () => {
    const contact = await ann.get(`/contacts/${ben.id}`)
    expect(contact).toEqual({
      id: ben.id,
      object: 'contact',
      username: ben.id,
      display_name: null,
      phone_number: '',
      avatar_url: `${server.base}/v1/avatars/${ben.id}`,
      is_assistant: false,
      last_active_at: contact.created_at,
      created_at: expect.any(Number),
    })
    const picture = await fetch(contact.avatar_url)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    const hostile = await (await fetch(`${server.base}/v1/avatars/${encodeURIComponent('<script>"& x')}`)).text()
    expect(hostile).toMatch(/>SX<\/text><\/svg>$/)
  })

  test('contacts: request gets 404 when the user belongs to another Workspace', async () => {
    const { dora } = await createMembers(server, ['dora'], await admin.workspace())
    await ann.refused('NOT_FOUND', 'GET', `/contacts/${dora.id}`)
    await dora.refused('NOT_FOUND', 'GET', `/contacts/${ann.id}`)
    await dora.refused('VALIDATION_ERROR', 'GET', `/contacts?starting_after=${ann.id}`)
    expect((await dora.get('/contacts')).data).toEqual([])
  })

  test.each(['json', 'form'] as const)(
    'contacts: user can change only the own profile when the body is %s [MSG-RES-1]',
    async (as) => {
      const changed = await ben.put(`/contacts/${ben.id}`, { display_name: 'Ben Ü', phone_number: '+49 30 1' }, { as })
      expect(changed).toMatchObject({ display_name: 'Ben Ü', phone_number: '+49 30 1' })
      expect(await ann.get(`/contacts/${ben.id}`)).toEqual(changed)
      expect(await ben.put(`/contacts/${ben.id}`, { display_name: null, phone_number: null }, { as })).toMatchObject({
        display_name: null,
        phone_number: '',
      })
      await ann.refused('FORBIDDEN', 'PUT', `/contacts/${ben.id}`, { display_name: 'x' }, { as })
      await ann.refused('NOT_FOUND', 'PUT', '/contacts/nobody', { display_name: 'x' }, { as })
      await ben.refused('VALIDATION_ERROR', 'PUT', `/contacts/${ben.id}`, {}, { as })
      for (const avatar_url of ['javascript:alert(1)', 'https://[', 'https://x:y'])
        await ben.refused('VALIDATION_ERROR', 'PUT', `/contacts/${ben.id}`, { avatar_url }, { as })
    },
  )

  test('contacts: change is sent only to users who share a group when a profile is updated', async () => {
    const { eve } = await createMembers(server, ['eve'])
    await ann.create('/groups', { name: 'Known', contacts: [eve.id] })
    await eve.put(`/contacts/${eve.id}`, { display_name: 'Eve' })
    await admin.patch(`/users/${eve.id}`, { username: `${eve.id}.new` })
    const about = async (type: string) => (await emitted(type)).filter(({ payload }) => (payload as { id: string }).id === eve.id)
    await vi.waitFor(async () => {
      expect((await about('contact.created')).map(({ audience }) => audience)).toEqual([[eve.id]])
      expect(await about('contact.updated')).toMatchObject([
        { audience: [ann.id, eve.id], payload: { display_name: 'Eve', username: eve.id } },
        { audience: [ann.id, eve.id], payload: { display_name: 'Eve', username: `${eve.id}.new` } },
      ])
    }, 20_000)
  })

  test('contacts: list has pages in both directions and refuses invalid page parameters', async () => {
    const all = (await ann.get('/contacts?limit=100')).data
    const first = await ann.get('/contacts?limit=2')
    expect([first.data, first.has_more]).toEqual([all.slice(0, 2), true])
    const second = await ann.get(`/contacts?limit=2&starting_after=${first.data[1].id}`)
    expect(second.data).toEqual(all.slice(2, 4))
    const back = await ann.get(`/contacts?limit=2&ending_before=${second.data[0].id}`)
    expect([back.data, back.has_more]).toEqual([first.data, false])
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=ten',
      'limit=1.5',
      'limit=1&limit=2',
      'starting_after=nobody',
      `starting_after=${ben.id}&ending_before=${ben.id}`,
    ]) {
      await ann.refused('VALIDATION_ERROR', 'GET', `/contacts?${query}`)
    }
  })
})

describe('groups', () => {
  test.each(['json', 'form'] as const)(
    'groups: only members can read a group and only its owner can change it when the body is %s [MSG-RES-3]',
    async (as) => {
      const made = await ann.create('/groups', { name: 'Team', contacts: [ben.id] }, { as })
      expect(made).toEqual({
        id: expect.stringMatching(/^grp_/),
        object: 'group',
        name: 'Team',
        description: '',
        avatar_url: `${server.base}/v1/avatars/Team`,
        owner_id: ann.id,
        contacts: [ann.id, ben.id],
        created_at: expect.any(Number),
        updated_at: made.created_at,
      })
      expect(await ben.get(`/groups/${made.id}`)).toEqual(made)
      expect((await ben.get('/groups')).data[0]).toEqual(made)
      expect((await cleo.get('/groups')).data).toEqual([])
      const changed = await ann.put(`/groups/${made.id}`, { name: 'Crew', contacts: [cleo.id] }, { as })
      expect(changed).toMatchObject({ name: 'Crew', contacts: [ann.id, cleo.id] })
      await ben.refused('NOT_FOUND', 'GET', `/groups/${made.id}`)
      await cleo.refused('FORBIDDEN', 'PUT', `/groups/${made.id}`, { name: 'Mine' }, { as })
      await cleo.refused('FORBIDDEN', 'DELETE', `/groups/${made.id}`)
      await ann.refused('VALIDATION_ERROR', 'PUT', `/groups/${made.id}`, {}, { as })
      await ann.remove(`/groups/${made.id}`)
      await ann.refused('NOT_FOUND', 'GET', `/groups/${made.id}`)
      await ann.refused('NOT_FOUND', 'DELETE', `/groups/${made.id}`)
    },
  )

  test('groups: every request gets 404 when the user is not a member', async () => {
    const { id } = await ann.create('/groups', { name: 'Private' })
    for (const [method, path, fields] of [
      ['GET', ''],
      ['PUT', '', { name: 'x' }],
      ['DELETE', ''],
      ['GET', '/contacts'],
      ['POST', '/contacts', { contact_id: ben.id }],
      ['DELETE', `/contacts/${ann.id}`],
    ] as const) {
      await cleo.refused('NOT_FOUND', method, `/groups/${id}${path}`, fields)
    }
  })

  test('groups: owner adds members, and can leave only when another member owns the group [MSG-RES-6]', async () => {
    const { id } = await ann.create('/groups', { name: 'Open' })
    expect((await ann.post(`/groups/${id}/contacts`, { contact_id: ben.id })).contacts).toEqual([ann.id, ben.id])
    await ann.refused('NOT_FOUND', 'POST', `/groups/${id}/contacts`, { contact_id: 'nobody' })
    await ben.refused('FORBIDDEN', 'POST', `/groups/${id}/contacts`, { contact_id: cleo.id })
    expect((await ben.get(`/groups/${id}/contacts`)).data.map((contact: { id: string }) => contact.id)).toEqual([ann.id, ben.id])
    await ann.refused('CONFLICT', 'DELETE', `/groups/${id}/contacts/${ann.id}`)
    await ben.refused('FORBIDDEN', 'DELETE', `/groups/${id}/contacts/${ann.id}`)
    expect((await ann.put(`/groups/${id}`, { owner_id: ben.id })).owner_id).toBe(ben.id)
    await ann.remove(`/groups/${id}/contacts/${ann.id}`)
    await ann.refused('NOT_FOUND', 'GET', `/groups/${id}`)
    expect((await ben.get(`/groups/${id}`)).contacts).toEqual([ben.id])
  })

  test('groups: removed member gets only the deletion event when the members get the update', async () => {
    const { id } = await ann.create('/groups', { name: 'Told', contacts: [ben.id, cleo.id] })
    const about = async (type: string) =>
      (await emitted(type))
        .filter(({ payload }) => (payload as { id: string }).id === id)
        .map(({ audience }) => audience.toSorted())
    await vi.waitFor(async () => expect(await about('group.created')).toEqual([[ann.id, ben.id, cleo.id]]), 20_000)
    await ann.remove(`/groups/${id}/contacts/${cleo.id}`)
    await vi.waitFor(async () => {
      // Who was sent away reads the earlier events no more.
      expect(await about('group.created')).toEqual([[ann.id, ben.id]])
      expect(await about('group.updated')).toEqual([[ann.id, ben.id]])
      expect(await about('group.deleted')).toEqual([[cleo.id]])
    }, 20_000)
  })

  test('groups: have at most 1,000 members, and keep every member when two are added at the same time [MSG-RES-3]', async () => {
    await ann.refused('VALIDATION_ERROR', 'POST', '/groups', {
      name: 'Crowd',
      contacts: Array.from({ length: 1_001 }, (_, i) => `x${i}`),
    })
    const { id } = await ann.create('/groups', { name: 'Both' })
    await Promise.all([ben, cleo].map((each) => ann.post(`/groups/${id}/contacts`, { contact_id: each.id })))
    expect((await ann.get(`/groups/${id}`)).contacts).toEqual([ann.id, ben.id, cleo.id])
  })
})
