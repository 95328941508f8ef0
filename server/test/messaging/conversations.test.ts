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
const idsOf = async (member: Member, query = ''): Promise<string[]> =>
  (await member.get(`/conversations?limit=100${query}`)).data.map(({ id }: Json) => id)

describe('create', () => {
  test.each(['json', 'form'] as const)(
    'conversations: each member sees the other one as the contact when the body is %s',
    async (as) => {
      const made = await ann.create('/conversations', { contact_id: ben.id }, { as })
      expect(made).toEqual({
        id: expect.stringMatching(/^conv_/),
        object: 'conversation',
        contact_id: ben.id,
        group_id: null,
        pinned_message_id: null,
        is_pinned: false,
        is_muted: false,
        last_active_at: null,
        last_opened_at: null,
        created_at: expect.any(Number),
        archived_at: null,
        unread_count: 0,
      })
      expect(await ben.get(`/conversations/${made.id}`)).toEqual({ ...made, contact_id: ann.id })
      await cleo.expectError('NOT_FOUND', 'GET', `/conversations/${made.id}`)
    },
  )

  test('conversations: all members of a group can read its conversation, also members who join later', async () => {
    const group = await groupOf(ben)
    const made = await ben.create('/conversations', { group_id: group.id })
    expect(made).toMatchObject({ group_id: group.id, contact_id: null })
    expect((await ann.get(`/conversations/${made.id}`)).group_id).toBe(group.id)
    await cleo.expectError('NOT_FOUND', 'GET', `/conversations/${made.id}`)
    await say(ann, made)
    await ann.put(`/groups/${group.id}`, { contacts: [ben.id, cleo.id] })
    expect(await cleo.get(`/conversations/${made.id}`)).toMatchObject({ id: made.id, unread_count: 0 })
  })

  test('conversations: request is refused when it does not name exactly one existing contact or group', async () => {
    const group = await groupOf()
    for (const fields of [{}, { contact_id: ben.id, group_id: group.id }, { contact_id: ann.id }, { contact_id: null }]) {
      await ann.expectError('VALIDATION_ERROR', 'POST', '/conversations', fields)
    }
    await ann.expectError('NOT_FOUND', 'POST', '/conversations', { contact_id: 'absent' })
    await ben.expectError('NOT_FOUND', 'POST', '/conversations', { group_id: group.id })
  })

  test('conversations: ten concurrent requests get the same conversation when distinct is true', async () => {
    const { ann: one, ben: other } = await createMembers(server, ['ann', 'ben'])
    const sides = [one, other].flatMap((who, index) => Array.from({ length: 5 }, () => ({ who, with: [other, one][index] })))
    const replies = await Promise.all(
      sides.map((side) => side.who.send('POST', '/conversations', { contact_id: side.with?.id, distinct: true })),
    )
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201])
  })
})

describe('update', () => {
  test('conversations: pinned, muted and archived apply to one member only, and a new message does not change them', async () => {
    const { id } = await talk()
    const changed = await ann.put(
      `/conversations/${id}`,
      { is_pinned: true, is_muted: '1', archived_at: 1_700_000_000 },
      { as: 'form' },
    )
    expect(changed).toMatchObject({ is_pinned: true, is_muted: true, archived_at: 1_700_000_000 })
    expect(await ben.get(`/conversations/${id}`)).toMatchObject({ is_pinned: false, is_muted: false, archived_at: null })
    await say(ben, { id })
    expect((await ann.get(`/conversations/${id}`)).archived_at).toBe(1_700_000_000)
    expect((await ann.put(`/conversations/${id}`, { archived_at: '' }, { as: 'form' })).archived_at).toBeNull()
    expect((await ann.put(`/conversations/${id}`, { is_pinned: false })).is_pinned).toBe(false)
  })

  test('conversations: pinned message belongs to the conversation, is the same for all members, and is unpinned when it is deleted', async () => {
    const here = await talk()
    const message = await say(ann, here)
    const elsewhere = await say(ann, await talk())
    expect((await ben.put(`/conversations/${here.id}`, { pinned_message_id: message.id })).pinned_message_id).toBe(message.id)
    expect((await ann.get(`/conversations/${here.id}`)).pinned_message_id).toBe(message.id)
    for (const pinned_message_id of [elsewhere.id, 'msg_1', here.id]) {
      await ann.expectError('VALIDATION_ERROR', 'PUT', `/conversations/${here.id}`, { pinned_message_id, is_muted: true })
    }
    expect((await ann.get(`/conversations/${here.id}`)).is_muted).toBe(false)
    expect((await ann.put(`/conversations/${here.id}`, { pinned_message_id: null })).pinned_message_id).toBeNull()
    await ann.put(`/conversations/${here.id}`, { pinned_message_id: message.id })
    await ann.remove(`/messages/${message.id}`)
    expect((await ben.get(`/conversations/${here.id}`)).pinned_message_id).toBeNull()
  })

  test('conversations: update gets 400 when it has no known field or a field of another type', async () => {
    const { id } = await talk()
    for (const fields of [{}, { is_muted: 'maybe' }, { archived_at: 'soon' }, { archived_at: -1 }, { unread_count: 0 }]) {
      await ann.expectError('VALIDATION_ERROR', 'PUT', `/conversations/${id}`, fields)
    }
  })
})

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

  test('read markers: group message is read when the last other member has read it', async () => {
    const group = await groupOf(ben, cleo)
    const conversation = await ann.create('/conversations', { group_id: group.id })
    const path = `/conversations/${conversation.id}/read`
    const [fromAnn, fromBen] = [await say(ann, conversation), await say(ben, conversation)]
    const readAt = async () =>
      Promise.all([fromAnn, fromBen].map(async ({ id }) => (await ann.get(`/messages/${id}`)).read_at !== null))
    await cleo.post(path, {})
    expect(await readAt()).toEqual([false, false])
    await ann.post(path, {})
    expect(await readAt()).toEqual([false, true])
    await ben.post(path, {})
    expect(await readAt()).toEqual([true, true])
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

  test('read markers: request gets 400 when the message belongs to another conversation', async () => {
    const elsewhere = await say(ann, await talk())
    const here = await talk()
    await ben.expectError('VALIDATION_ERROR', 'POST', `/conversations/${here.id}/read`, { message_id: elsewhere.id })
    await cleo.expectError('NOT_FOUND', 'POST', `/conversations/${here.id}/read`, {})
  })
})

describe('list', () => {
  test('conversations: list starts with the last active one, and only filters with the value true apply', async () => {
    const { ann: me, ben: other } = await createMembers(server, ['ann', 'ben'])
    const make = (): Promise<Json> => me.create('/conversations', { contact_id: other.id })
    const [quiet, muted, active] = [await make(), await make(), await make()]
    await say(me, active)
    await me.put(`/conversations/${muted.id}`, { is_muted: true, is_pinned: true, archived_at: 1 })
    await say(other, quiet)
    expect(await idsOf(me)).toEqual([quiet.id, active.id, muted.id])
    for (const filter of ['muted', 'pinned', 'archived']) {
      expect(await idsOf(me, `&${filter}=true`)).toEqual([muted.id])
      expect(await idsOf(me, `&${filter}=false`)).toHaveLength(3)
    }
    expect(await idsOf(other, '&muted=true')).toEqual([])
  })

  test('conversations: list can be limited to one group by its members', async () => {
    const group = await groupOf(ben)
    const conversation = await ann.create('/conversations', { group_id: group.id })
    expect(await idsOf(ben, `&group_id=${group.id}`)).toEqual([conversation.id])
    await cleo.expectError('NOT_FOUND', 'GET', `/conversations?group_id=${group.id}`)
  })

  test('conversations: list has pages in both directions and refuses cursors of other users', async () => {
    const { ann: me, ben: other, cleo: third } = await createMembers(server, ['ann', 'ben', 'cleo'])
    const ids: string[] = []
    for (let count = 0; count < 7; count++) ids.unshift((await me.create('/conversations', { contact_id: other.id })).id)
    const page = async (query: string) => {
      const { data, has_more } = await me.get(`/conversations?limit=3${query}`)
      return [data.map(({ id }: Json) => id), has_more]
    }
    expect(await page('')).toEqual([ids.slice(0, 3), true])
    expect(await page(`&starting_after=${ids[2]}`)).toEqual([ids.slice(3, 6), true])
    expect(await page(`&starting_after=${ids[5]}`)).toEqual([ids.slice(6), false])
    expect(await page(`&ending_before=${ids[5]}`)).toEqual([ids.slice(2, 5), true])
    expect(await page(`&ending_before=${ids[2]}`)).toEqual([ids.slice(0, 2), false])
    await third.expectError('VALIDATION_ERROR', 'GET', `/conversations?starting_after=${ids[0]}`)
  })
})

describe('delete', () => {
  test('conversations: direct conversation and its messages are deleted for both members when one deletes it', async () => {
    const conversation = await talk()
    const message = await say(ann, conversation)
    await cleo.expectError('NOT_FOUND', 'DELETE', `/conversations/${conversation.id}`)
    await ben.remove(`/conversations/${conversation.id}`)
    for (const path of [
      `/conversations/${conversation.id}`,
      `/messages/${message.id}`,
      `/messages?conversation_id=${conversation.id}`,
    ]) {
      await ann.expectError('NOT_FOUND', 'GET', path)
    }
    await ann.expectError('NOT_FOUND', 'DELETE', `/conversations/${conversation.id}`)
  })

  test('conversations: only the owner of the group can delete its conversation', async () => {
    const conversation = await ben.create('/conversations', { group_id: (await groupOf(ben)).id })
    await ben.expectError('FORBIDDEN', 'DELETE', `/conversations/${conversation.id}`)
    await ann.remove(`/conversations/${conversation.id}`)
    await ben.expectError('NOT_FOUND', 'GET', `/conversations/${conversation.id}`)
  })
})
