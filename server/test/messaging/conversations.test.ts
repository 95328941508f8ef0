import { describe, expect, test } from 'vitest'
import type { Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type Member } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo'])

const say = (member: Member, conversation: Json, message = 'Good morning'): Promise<Json> =>
  member.create('/messages', { conversation_id: conversation.id, message })
const groupOf = (...others: Member[]): Promise<Json> =>
  ann.create('/groups', { name: 'Club', contacts: others.map(({ id }) => id) })

describe('read markers', () => {
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
