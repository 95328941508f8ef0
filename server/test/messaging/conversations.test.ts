import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../admin/client.ts'
import type { TestServer } from '../support/server.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type Member } from './client.ts'

let server: TestServer
let ann: Member
let ben: Member
let cleo: Member
beforeAll(async () => {
  server = await sharedServer()
  ;({ ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo']))
})
afterAll(() => server.close())

const talk = (fields: object = {}): Promise<Json> => ann.create('/conversations', { contact_id: ben.id, ...fields })
const say = (who: Member, conversation: Json, message = 'Good morning'): Promise<Json> =>
  who.create('/messages', { conversation_id: conversation.id, message })
const groupOf = (...others: Member[]): Promise<Json> =>
  ann.create('/groups', { name: 'Club', contacts: others.map(({ id }) => id) })
const idsOf = async (who: Member, query = ''): Promise<string[]> =>
  (await who.get(`/conversations?limit=100${query}`)).data.map(({ id }: Json) => id)

describe('create', () => {
  test.each(['json', 'form'] as const)('%s: the contact is the other side, seen from each', async (as) => {
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
    await cleo.refused('NOT_FOUND', 'GET', `/conversations/${made.id}`)
  })

  test('with a group: its members are in it, also those who join later', async () => {
    const group = await groupOf(ben)
    const made = await ben.create('/conversations', { group_id: group.id })
    expect(made).toMatchObject({ group_id: group.id, contact_id: null })
    expect((await ann.get(`/conversations/${made.id}`)).group_id).toBe(group.id)
    await cleo.refused('NOT_FOUND', 'GET', `/conversations/${made.id}`)
    await say(ann, made)
    await ann.put(`/groups/${group.id}`, { contacts: [ben.id, cleo.id] })
    expect(await cleo.get(`/conversations/${made.id}`)).toMatchObject({ id: made.id, unread_count: 0 })
  })

  test('needs exactly one partner, who is there', async () => {
    const group = await groupOf()
    for (const fields of [{}, { contact_id: ben.id, group_id: group.id }, { contact_id: ann.id }, { contact_id: null }]) {
      await ann.refused('VALIDATION_ERROR', 'POST', '/conversations', fields)
    }
    await ann.refused('NOT_FOUND', 'POST', '/conversations', { contact_id: 'nobody' })
    await ben.refused('NOT_FOUND', 'POST', '/conversations', { group_id: group.id })
  })

  test('distinct: the one that exists, however many ask at once', async () => {
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
  test('pinned, muted and archived are the caller’s own; a new message leaves it archived', async () => {
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

  test('a pin is a message of this conversation, for all, until the message goes', async () => {
    const here = await talk()
    const message = await say(ann, here)
    const elsewhere = await say(ann, await talk())
    expect((await ben.put(`/conversations/${here.id}`, { pinned_message_id: message.id })).pinned_message_id).toBe(message.id)
    expect((await ann.get(`/conversations/${here.id}`)).pinned_message_id).toBe(message.id)
    for (const pinned_message_id of [elsewhere.id, 'msg_1', here.id]) {
      await ann.refused('VALIDATION_ERROR', 'PUT', `/conversations/${here.id}`, { pinned_message_id, is_muted: true })
    }
    expect((await ann.get(`/conversations/${here.id}`)).is_muted).toBe(false)
    expect((await ann.put(`/conversations/${here.id}`, { pinned_message_id: null })).pinned_message_id).toBeNull()
    await ann.put(`/conversations/${here.id}`, { pinned_message_id: message.id })
    await ann.remove(`/messages/${message.id}`)
    expect((await ben.get(`/conversations/${here.id}`)).pinned_message_id).toBeNull()
  })

  test('with none of its fields, or one of another type, is refused', async () => {
    const { id } = await talk()
    for (const fields of [{}, { is_muted: 'maybe' }, { archived_at: 'soon' }, { archived_at: -1 }, { unread_count: 0 }]) {
      await ann.refused('VALIDATION_ERROR', 'PUT', `/conversations/${id}`, fields)
    }
  })
})

describe('read markers', () => {
  test('a message is read when the other side has; markers never go back', async () => {
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

  test('in a group a message is read when the last of the others has, whoever that is', async () => {
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

  test('of two who read last at the same time, one is the last', async () => {
    const conversation = await ann.create('/conversations', { group_id: (await groupOf(ben, cleo)).id })
    for (let round = 0; round < 5; round++) {
      const { id } = await say(ann, conversation)
      await Promise.all([ben, cleo].map((who) => who.post(`/conversations/${conversation.id}/read`, {})))
      expect((await ann.get(`/messages/${id}`)).read_at).not.toBeNull()
    }
  })

  test('nobody waits for who has left the group', async () => {
    const group = await groupOf(ben, cleo)
    const conversation = await ann.create('/conversations', { group_id: group.id })
    const { id } = await say(ann, conversation)
    await ben.post(`/conversations/${conversation.id}/read`, {})
    expect((await ann.get(`/messages/${id}`)).read_at).toBeNull()
    await ann.put(`/groups/${group.id}`, { contacts: [ben.id] })
    expect((await ann.get(`/messages/${id}`)).read_at).not.toBeNull()
    await cleo.refused('NOT_FOUND', 'GET', `/conversations/${conversation.id}`)
  })

  test('only messages of this conversation mark it', async () => {
    const elsewhere = await say(ann, await talk())
    const here = await talk()
    await ben.refused('VALIDATION_ERROR', 'POST', `/conversations/${here.id}/read`, { message_id: elsewhere.id })
    await cleo.refused('NOT_FOUND', 'POST', `/conversations/${here.id}/read`, {})
  })
})

describe('list', () => {
  test('the last active first; only true filters', async () => {
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

  test('of one group, for its members', async () => {
    const group = await groupOf(ben)
    const conversation = await ann.create('/conversations', { group_id: group.id })
    expect(await idsOf(ben, `&group_id=${group.id}`)).toEqual([conversation.id])
    await cleo.refused('NOT_FOUND', 'GET', `/conversations?group_id=${group.id}`)
  })

  test('pages in both directions; foreign cursors are refused', async () => {
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
    await third.refused('VALIDATION_ERROR', 'GET', `/conversations?starting_after=${ids[0]}`)
  })
})

describe('delete', () => {
  test('either side of a direct one removes it for both, messages too', async () => {
    const conversation = await talk()
    const message = await say(ann, conversation)
    await cleo.refused('NOT_FOUND', 'DELETE', `/conversations/${conversation.id}`)
    await ben.remove(`/conversations/${conversation.id}`)
    for (const path of [
      `/conversations/${conversation.id}`,
      `/messages/${message.id}`,
      `/messages?conversation_id=${conversation.id}`,
    ]) {
      await ann.refused('NOT_FOUND', 'GET', path)
    }
    await ann.refused('NOT_FOUND', 'DELETE', `/conversations/${conversation.id}`)
  })

  test("a group's is deleted by the group's owner", async () => {
    const conversation = await ben.create('/conversations', { group_id: (await groupOf(ben)).id })
    await ben.refused('FORBIDDEN', 'DELETE', `/conversations/${conversation.id}`)
    await ann.remove(`/conversations/${conversation.id}`)
    await ben.refused('NOT_FOUND', 'GET', `/conversations/${conversation.id}`)
  })
})
