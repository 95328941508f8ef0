import { describe, expect, test } from 'vitest'
import type { Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type Member } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo'])

const talk = (fields: object = {}): Promise<Json> => ann.create('/conversations', { contact_id: ben.id, ...fields })
const say = (member: Member, conversation: Json, message = 'Good morning'): Promise<Json> =>
  member.create('/messages', { conversation_id: conversation.id, message })
const groupOf = (...others: Member[]): Promise<Json> =>
  ann.create('/groups', { name: 'Club', contacts: others.map(({ id }) => id) })

describe('read markers', () => {
  test('read markers: message is read when the other member has read it, and no marker moves back', async () => {
    const conversation = await talk()
    const path = `/conversations/${conversation.id}`
    const [first, second] = [await say(ann, conversation), await say(ann, conversation)]
    expect((await ben.get(path)).unread_count).toBe(2)
    expect((await ann.get(path)).unread_count).toBe(0)
    expect((await ben.post(`${path}/read`, { message_id: first.id })).unread_count).toBe(1)
    const { read_at } = await ann.get(`/messages/${first.id}`)
    expect(read_at).toEqual(expect.any(Number))
    expect((await ben.get(`/messages/${second.id}`)).read_at).toBeNull()
    expect(await ben.post(`${path}/read`, {})).toMatchObject({ unread_count: 0, last_opened_at: expect.any(Number) })
    expect((await ben.post(`${path}/read`, { message_id: first.id })).unread_count).toBe(0)
    expect((await ann.get(`/messages/${first.id}`)).read_at).toBe(read_at)
    expect((await ann.get(path)).last_opened_at).toBeNull()
  })

  test('read markers: group message is read when the last two members read it at the same time', async () => {
    const conversation = await ann.create('/conversations', { group_id: (await groupOf(ben, cleo)).id })
    for (let round = 0; round < 5; round++) {
      const { id } = await say(ann, conversation)
      await Promise.all([ben, cleo].map((who) => who.post(`/conversations/${conversation.id}/read`, {})))
      expect((await ann.get(`/messages/${id}`)).read_at).not.toBeNull()
    }
  })

  test('read markers: group message is read when the only member who has not read it leaves', async () => {
    const group = await groupOf(ben, cleo)
    const conversation = await ann.create('/conversations', { group_id: group.id })
    const { id } = await say(ann, conversation)
    await ben.post(`/conversations/${conversation.id}/read`, {})
    expect((await ann.get(`/messages/${id}`)).read_at).toBeNull()
    await ann.put(`/groups/${group.id}`, { contacts: [ben.id] })
    expect((await ann.get(`/messages/${id}`)).read_at).not.toBeNull()
    await cleo.expectError('NOT_FOUND', 'GET', `/conversations/${conversation.id}`)
  })
})
