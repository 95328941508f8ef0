import { describe, expect, test, vi } from 'vitest'
import { adminClient } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { type EmittedEvent, findEmittedEvents } from '../support/emitted-events.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const { ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo'])

const emittedAbout = async (type: string, id: string): Promise<EmittedEvent[]> =>
  (await findEmittedEvents(server.context.db, type)).filter(({ payload }) => payload.id === id)

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
    await ann.expectError('NOT_FOUND', 'GET', `/contacts/${dora.id}`)
    await dora.expectError('NOT_FOUND', 'GET', `/contacts/${ann.id}`)
    await dora.expectError('VALIDATION_ERROR', 'GET', `/contacts?starting_after=${ann.id}`)
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
      await ann.expectError('FORBIDDEN', 'PUT', `/contacts/${ben.id}`, { display_name: 'x' }, { as })
      await ann.expectError('NOT_FOUND', 'PUT', '/contacts/absent', { display_name: 'x' }, { as })
      await ben.expectError('VALIDATION_ERROR', 'PUT', `/contacts/${ben.id}`, {}, { as })
      for (const avatar_url of ['javascript:alert(1)', 'https://[', 'https://x:y'])
        await ben.expectError('VALIDATION_ERROR', 'PUT', `/contacts/${ben.id}`, { avatar_url }, { as })
    },
  )

  test('contacts: change is sent only to users who share a group when a profile is updated', async () => {
    const { eve } = await createMembers(server, ['eve'])
    await ann.create('/groups', { name: 'Known', contacts: [eve.id] })
    await eve.put(`/contacts/${eve.id}`, { display_name: 'Eve' })
    await admin.patch(`/users/${eve.id}`, { username: `${eve.id}.new` })
    const about = (type: string) => emittedAbout(type, eve.id)
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
      'starting_after=absent',
      `starting_after=${ben.id}&ending_before=${ben.id}`,
    ]) {
      await ann.expectError('VALIDATION_ERROR', 'GET', `/contacts?${query}`)
    }
  })
})
