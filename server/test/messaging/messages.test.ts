import { describe, expect, test } from 'vitest'
import { fromId } from '../../src/platform/lib/id.ts'
import type { Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type Member } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo'])
const chat = await ann.create('/conversations', { contact_id: ben.id })

const say = (member: Member, message: string, conversation = chat): Promise<Json> =>
  member.create('/messages', { conversation_id: conversation.id, message })
const idsIn = async (member: Member, query: string): Promise<string[]> =>
  (await member.get(`/messages?${query}`)).data.map(({ id }: Json) => id)

describe('send', () => {
  test.each(['json', 'form'] as const)('messages: message is stored as sent and unread when the body is %s', async (as) => {
    const message = 'Grüße & co = 100 % 👋'
    const sent = await ann.create('/messages', { conversation_id: chat.id, message }, { as })
    expect(sent).toEqual({
      id: expect.stringMatching(/^msg_/),
      object: 'message',
      conversation_id: chat.id,
      contact: expect.objectContaining({ id: ann.id, username: ann.id, avatar_url: expect.stringMatching(/^http:/) }),
      message,
      reactions: [],
      attachments: [],
      reply_to: null,
      governance: { audit_id: expect.stringMatching(/^aud_/) },
      read_at: null,
      created_at: expect.any(Number),
      updated_at: null,
    })
    expect(await ben.get(`/messages/${sent.id}`)).toEqual(sent)
    expect((await ann.get(`/conversations/${chat.id}`)).last_active_at).toBe(sent.created_at)
  })

  test('messages: request is refused when the text is empty or larger than 32 KiB', async () => {
    const send = (message: unknown) => ann.send('POST', '/messages', { conversation_id: chat.id, message })
    expect((await send('x'.repeat(32_768))).status).toBe(201)
    for (const message of ['x'.repeat(32_769), 'ü'.repeat(16_385)]) expect([400, 413]).toContain((await send(message)).status)
    for (const message of ['', null, undefined, 7, ['x'], 'nul\0']) expect((await send(message)).status).toBe(400)
  })

  test('messages: request gets 404 when the sender is not a member', async () => {
    await cleo.expectError('NOT_FOUND', 'POST', '/messages', { conversation_id: chat.id, message: 'x' })
    await cleo.expectError('NOT_FOUND', 'POST', '/messages', { conversation_id: 'conv_1', message: 'x' })
  })

  test('messages: sequence has no gap and no duplicate when 60 messages are sent at the same time', async () => {
    const here = await ann.create('/conversations', { contact_id: ben.id })
    const sent = await Promise.all(Array.from({ length: 60 }, (_, i) => say(i % 2 ? ann : ben, `number ${i}`, here)))
    const listed = await idsIn(ann, `conversation_id=${here.id}&limit=100`)
    expect(listed.toSorted()).toEqual(sent.map(({ id }) => id).toSorted())
    const rows = await server.context.db
      .selectFrom('message')
      .innerJoin('conversation', 'conversation.id', 'conversation_id')
      .where('sender_id', 'in', [ann.id, ben.id])
      .where('text', 'like', 'number %')
      .select(['sequence', 'last_sequence'])
      .orderBy('sequence')
      .execute()
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1))
    expect(rows[0]?.last_sequence).toBe(60)
  })

  test('messages: message is sent once when the request is repeated under its idempotency key', async () => {
    const fields = { conversation_id: chat.id, message: 'just once' }
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const [first, second] = [
      await ann.send('POST', '/messages', fields, { headers }),
      await ann.send('POST', '/messages', fields, { headers, as: 'form' }),
    ]
    expect([second.status, second.text]).toEqual([201, first.text])
  })
})

describe('list', () => {
  test('messages: list of a conversation is newest first and has pages in both directions', async () => {
    const here = await ann.create('/conversations', { contact_id: ben.id })
    const ids: string[] = []
    for (let count = 0; count < 12; count++) ids.unshift((await say(ann, 'x', here)).id)
    const query = `conversation_id=${here.id}`
    expect(await idsIn(ben, query)).toEqual(ids.slice(0, 10))
    expect(await idsIn(ben, `${query}&starting_after=${ids[9]}`)).toEqual(ids.slice(10))
    expect(await idsIn(ben, `${query}&ending_before=${ids[7]}&limit=3`)).toEqual(ids.slice(4, 7))
    await cleo.expectError('NOT_FOUND', 'GET', `/messages?${query}`)
    const other = await say(ann, 'elsewhere')
    await ben.expectError('VALIDATION_ERROR', 'GET', `/messages?${query}&starting_after=${other.id}`)
  })

  test('messages: list of all conversations shows each message once and in order when it is read in pages', async () => {
    const { dan, eve, fay } = await createMembers(server, ['dan', 'eve', 'fay'])
    const talks: Json[] = []
    for (const other of [eve, fay, eve, fay, eve, fay]) talks.push(await dan.create('/conversations', { contact_id: other.id }))
    const ids: string[] = []
    for (let count = 0; count < 20; count++) ids.unshift((await say(dan, 'x', talks[(count * 5) % 4])).id)
    const emptied = [await say(dan, 'gone', talks[4]), await say(dan, 'gone', talks[5])]
    for (const { id } of emptied) await dan.remove(`/messages/${id}`)
    for (let count = 0; count < 5; count++) await dan.create('/conversations', { contact_id: eve.id })
    const seen: string[] = []
    for (let after = ''; ; after = `&starting_after=${seen.at(-1)}`) {
      const { data, has_more } = await dan.get(`/messages?limit=3${after}`)
      seen.push(...data.map(({ id }: Json) => id))
      expect(has_more).toBe(seen.length < 20)
      if (!has_more) break
    }
    expect(seen).toEqual(ids)
    expect(await idsIn(dan, `ending_before=${ids[9]}&limit=4`)).toEqual(ids.slice(5, 9))
    expect(await idsIn(dan, `ending_before=${ids[2]}&limit=4`)).toEqual(ids.slice(0, 2))
    const visibleToEve = new Set(await idsIn(eve, 'limit=100'))
    expect(visibleToEve.size).toBe(10)
    await eve.expectError('VALIDATION_ERROR', 'GET', `/messages?starting_after=${ids.find((id) => !visibleToEve.has(id))}`)
  })
})

describe('update', () => {
  test('messages: only the sender can change the text', async () => {
    const { id } = await say(ann, 'before')
    expect(await ann.put(`/messages/${id}`, { message: 'after' }, { as: 'form' })).toMatchObject({
      message: 'after',
      updated_at: expect.any(Number),
    })
    expect((await ben.get(`/messages/${id}`)).message).toBe('after')
    await ben.expectError('FORBIDDEN', 'PUT', `/messages/${id}`, { message: 'changed' })
    await cleo.expectError('NOT_FOUND', 'PUT', `/messages/${id}`, { message: 'changed' })
    for (const fields of [{}, { message: '' }, { message: 3 }, { reactions: 'x' }, { reactions: { a: 'b' } }]) {
      await ann.expectError('VALIDATION_ERROR', 'PUT', `/messages/${id}`, fields)
    }
  })

  test.each(['json', 'form'] as const)(
    'messages: reactions are sent as a map and returned as a list when the body is %s',
    async (as) => {
      const { id } = await say(ann, 'react')
      const reactions = { red_angry_face: ['two', 'one', 'two'], heart: ['one'] }
      const changed = await ann.put(`/messages/${id}`, { reactions }, { as })
      expect(changed.reactions).toEqual([{ red_angry_face: ['two', 'one'] }, { heart: ['one'] }])
      expect((await ben.get(`/messages/${id}`)).reactions).toEqual(changed.reactions)
      expect((await ann.put(`/messages/${id}`, { reactions: [{ heart: [ann.id] }] }, { as })).reactions).toEqual([
        { heart: [ann.id] },
      ])
    },
  )

  test('messages: reactions of other members stay, and a reaction in the name of another member gets 403', async () => {
    const { id } = await say(ann, 'react')
    await ben.put(`/messages/${id}`, { reactions: { heart: [ben.id, 'free'] } })
    expect((await ann.put(`/messages/${id}`, { reactions: { heart: [ann.id] } })).reactions).toEqual([
      { heart: [ben.id, 'free', ann.id] },
    ])
    expect((await ann.put(`/messages/${id}`, { reactions: { heart: [ben.id, ann.id] } })).reactions).toEqual([
      { heart: [ben.id, 'free', ann.id] },
    ])
    await ann.expectError('FORBIDDEN', 'PUT', `/messages/${id}`, { reactions: { star: [ben.id] } })
    expect((await ann.put(`/messages/${id}`, { reactions: {} })).reactions).toEqual([{ heart: [ben.id, 'free'] }])
  })

  test('messages: request gets 400 when a message would have more than 20 reaction names', async () => {
    const { id } = await say(ann, 'react')
    const names = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, ['x']]))
    await ann.put(`/messages/${id}`, { reactions: names(15, 'a') })
    await ben.expectError('VALIDATION_ERROR', 'PUT', `/messages/${id}`, { reactions: names(6, 'b') })
    expect((await ben.put(`/messages/${id}`, { reactions: names(5, 'b') })).reactions).toHaveLength(20)
    await ann.expectError('VALIDATION_ERROR', 'PUT', `/messages/${id}/reactions/another`)
    await ann.expectError('VALIDATION_ERROR', 'PUT', `/messages/${id}`, { reactions: { ['x'.repeat(65)]: ['x'] } })
  })

  test('messages: member can add and remove the own reaction by name, which does not count as an update', async () => {
    const { id } = await say(ann, 'react')
    await ann.put(`/messages/${id}/reactions/heart`)
    await ann.put(`/messages/${id}/reactions/heart`)
    expect(await ben.put(`/messages/${id}/reactions/heart`)).toMatchObject({
      reactions: [{ heart: [ann.id, ben.id] }],
      updated_at: null,
    })
    await ann.remove(`/messages/${id}/reactions/heart`)
    await ann.expectError('NOT_FOUND', 'DELETE', `/messages/${id}/reactions/heart`)
    expect((await ann.get(`/messages/${id}`)).reactions).toEqual([{ heart: [ben.id] }])
    await cleo.expectError('NOT_FOUND', 'PUT', `/messages/${id}/reactions/heart`)
  })
})

describe('delete', () => {
  test('messages: only the sender and the owner of the group can delete a message', async () => {
    const { id } = await say(ben, 'short-lived')
    await ann.expectError('FORBIDDEN', 'DELETE', `/messages/${id}`)
    await cleo.expectError('NOT_FOUND', 'DELETE', `/messages/${id}`)
    await ben.remove(`/messages/${id}`)
    await ben.expectError('NOT_FOUND', 'DELETE', `/messages/${id}`)
    const group = await ann.create('/groups', { name: 'Club', contacts: [ben.id] })
    const conversation = await ann.create('/conversations', { group_id: group.id })
    const benMessage = await say(ben, 'off topic', conversation)
    const own = await say(ann, 'mine', conversation)
    await ben.expectError('FORBIDDEN', 'DELETE', `/messages/${own.id}`)
    await ann.remove(`/messages/${benMessage.id}`)
  })
})

describe('search', () => {
  test("search: finds messages with all words, newest first, in the user's own conversations only [MSG-MSG-11]", async () => {
    const term = word()
    const [one, two] = [await say(ann, `the ${term} of Zürich`), await say(ben, `Zürich without ${term.toUpperCase()}`)]
    const find = async (member: Member, q: string, more = '') =>
      (await member.get(`/messages/search?q=${encodeURIComponent(q)}${more}`)).data.map(({ id }: Json) => id)
    expect(await find(ann, term)).toEqual([two.id, one.id])
    expect(await find(ben, `${term} zürich the`)).toEqual([one.id])
    expect(await find(ben, `"of Zürich" ${term}`)).toEqual([one.id])
    expect(await find(ann, term, '&limit=1')).toEqual([two.id])
    expect(await find(ann, term, `&starting_after=${two.id}&conversation_id=${chat.id}`)).toEqual([one.id])
    expect(await find(cleo, term)).toEqual([])
    await ann.put(`/messages/${one.id}`, { message: 'other words' })
    expect(await find(ann, term)).toEqual([two.id])
    await cleo.expectError('NOT_FOUND', 'GET', `/messages/search?q=x&conversation_id=${chat.id}`)
    await ann.expectError('VALIDATION_ERROR', 'GET', '/messages/search')
    for (const q of ['!!! ((', "' & | <->", ':*', '-']) expect(await find(ann, q)).toEqual([])
  })

  test('search: pages through several conversations in both directions, with `or` and `-without` [MSG-MSG-11]', async () => {
    const [term, other] = [word(), word()]
    const second = await ann.create('/conversations', { contact_id: cleo.id })
    const sent: string[] = []
    for (let i = 0; i < 6; i++) {
      const place = i % 2 === 0 ? chat : second
      const text = i === 5 ? `${other} only` : i === 4 ? `${term} ${other}` : `${term} number ${i}`
      sent.unshift((await say(ann, text, place)).id)
    }
    const find = async (q: string, more = '') =>
      (await ann.get(`/messages/search?q=${encodeURIComponent(q)}${more}`)).data.map(({ id }: Json) => id)
    expect(await find(`${term} or ${other}`)).toEqual(sent)
    expect(await find(`${term} -${other}`)).toEqual(sent.slice(2))
    expect(await find(`${term} or ${other}`, `&limit=2&starting_after=${sent[1]}`)).toEqual(sent.slice(2, 4))
    expect(await find(`${term} or ${other}`, `&limit=2&ending_before=${sent[4]}`)).toEqual(sent.slice(2, 4))
  })

  test('search: text that contains the id of another conversation is not found by its members', async () => {
    const term = word()
    const uuid = fromId('conv', chat.id) ?? ''
    const second = await ann.create('/conversations', { contact_id: cleo.id })
    await say(ann, `${term} '${uuid}' ${uuid}`, second)
    expect((await ben.get(`/messages/search?q=${term}`)).data).toEqual([])
  })
})
