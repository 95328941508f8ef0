import { describe, expect, test, vi } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { type EmittedEvent, findEmittedEvents } from '../support/emitted-events.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo'])

const emittedAbout = async (type: string, id: string): Promise<EmittedEvent[]> =>
  (await findEmittedEvents(server.context.db, type)).filter(({ payload }) => payload.id === id)

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
      await ben.expectError('NOT_FOUND', 'GET', `/groups/${made.id}`)
      await cleo.expectError('FORBIDDEN', 'PUT', `/groups/${made.id}`, { name: 'Other' }, { as })
      await cleo.expectError('FORBIDDEN', 'DELETE', `/groups/${made.id}`)
      await ann.expectError('VALIDATION_ERROR', 'PUT', `/groups/${made.id}`, {}, { as })
      await ann.remove(`/groups/${made.id}`)
      await ann.expectError('NOT_FOUND', 'GET', `/groups/${made.id}`)
      await ann.expectError('NOT_FOUND', 'DELETE', `/groups/${made.id}`)
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
      await cleo.expectError('NOT_FOUND', method, `/groups/${id}${path}`, fields)
    }
  })

  test('groups: owner adds members, and can leave only when another member owns the group [MSG-RES-6]', async () => {
    const { id } = await ann.create('/groups', { name: 'Open' })
    expect((await ann.post(`/groups/${id}/contacts`, { contact_id: ben.id })).contacts).toEqual([ann.id, ben.id])
    await ann.expectError('NOT_FOUND', 'POST', `/groups/${id}/contacts`, { contact_id: 'absent' })
    await ben.expectError('FORBIDDEN', 'POST', `/groups/${id}/contacts`, { contact_id: cleo.id })
    expect((await ben.get(`/groups/${id}/contacts`)).data.map((contact: { id: string }) => contact.id)).toEqual([ann.id, ben.id])
    await ann.expectError('CONFLICT', 'DELETE', `/groups/${id}/contacts/${ann.id}`)
    await ben.expectError('FORBIDDEN', 'DELETE', `/groups/${id}/contacts/${ann.id}`)
    expect((await ann.put(`/groups/${id}`, { owner_id: ben.id })).owner_id).toBe(ben.id)
    await ann.remove(`/groups/${id}/contacts/${ann.id}`)
    await ann.expectError('NOT_FOUND', 'GET', `/groups/${id}`)
    expect((await ben.get(`/groups/${id}`)).contacts).toEqual([ben.id])
  })

  test('groups: removed member gets only the deletion event when the members get the update', async () => {
    const { id } = await ann.create('/groups', { name: 'Told', contacts: [ben.id, cleo.id] })
    const about = async (type: string) => (await emittedAbout(type, id)).map(({ audience }) => audience.toSorted())
    await vi.waitFor(async () => expect(await about('group.created')).toEqual([[ann.id, ben.id, cleo.id]]), 20_000)
    await ann.remove(`/groups/${id}/contacts/${cleo.id}`)
    await vi.waitFor(async () => {
      // A removed member can no longer read earlier events.
      expect(await about('group.created')).toEqual([[ann.id, ben.id]])
      expect(await about('group.updated')).toEqual([[ann.id, ben.id]])
      expect(await about('group.deleted')).toEqual([[cleo.id]])
    }, 20_000)
  })

  test('groups: a group has at most 1,000 members, and keeps both users when two are added at the same time [MSG-RES-3]', async () => {
    await ann.expectError('VALIDATION_ERROR', 'POST', '/groups', {
      name: 'Crowd',
      contacts: Array.from({ length: 1_001 }, (_, i) => `x${i}`),
    })
    const { id } = await ann.create('/groups', { name: 'Both' })
    await Promise.all([ben, cleo].map((each) => ann.post(`/groups/${id}/contacts`, { contact_id: each.id })))
    expect((await ann.get(`/groups/${id}`)).contacts).toEqual([ann.id, ben.id, cleo.id])
  })
})
