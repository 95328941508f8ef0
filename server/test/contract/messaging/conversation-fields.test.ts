import { describe, expect, test } from 'vitest'
import { createMembers, type Member } from '../../messaging/client.ts'
import { clock, messenger } from './shared-messenger.ts'

const ids = (listed: { readonly data: readonly { readonly id: string }[] }) => listed.data.map(({ id }) => id)

describe('timestamps and order', () => {
  test('timestamps: whole seconds in responses, milliseconds in the database [MSG-BODY-6]', async () => {
    const id = await messenger.direct()
    const { created_at } = await messenger.say(id)
    expect(Number.isInteger(created_at) && Math.abs(created_at - clock.now().getTime() / 1_000) < 5).toBe(true)
    // One message can be of the first millisecond of a second.
    await messenger.sayAll(id, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    const { rows } = await messenger.server.context.database.pool.query(
      "select count(*)::int as n from message where created_at <> date_trunc('second', created_at)",
    )
    expect(rows[0].n).toBeGreaterThan(0)
  })
  test("messages: newest first by the conversation's sequence, also within one second [MSG-LIST-5]", async () => {
    const id = await messenger.direct()
    const texts = Array.from({ length: 12 }, (_, index) => `${index}`)
    await messenger.sayAll(id, texts)
    expect(await messenger.texts(id)).toEqual(texts)
  })
  test('conversations: last_active_at, else created_at, newest first [MSG-LIST-6]', async () => {
    const created = [await messenger.direct(), await messenger.direct(), await messenger.direct()]
    const top = async (person: Member) => ids(await person.get('/conversations?limit=3'))
    expect(await top(messenger.ann)).toEqual(created.toReversed())
    await messenger.say(created[0] ?? '')
    expect(await top(messenger.ann)).toEqual([created[0], created[2], created[1]])
    expect(await top(messenger.ben)).toEqual([created[0], created[2], created[1]])
    await messenger.say(created[1] ?? '', 'x', messenger.ben)
    expect(await top(messenger.ann)).toEqual([created[1], created[0], created[2]])
  })
  test('conversations: pinning, muting, reading and reacting do not change the order', async () => {
    const [older, newer] = [await messenger.direct(), await messenger.direct()]
    const message = await messenger.say(older)
    await messenger.say(newer)
    await messenger.ann.put(`/conversations/${older}`, { is_pinned: true, is_muted: true, pinned_message_id: message.id })
    await messenger.ben.post(`/conversations/${older}/read`, {})
    await messenger.ben.put(`/messages/${message.id}/reactions/heart`)
    await messenger.ann.put(`/messages/${message.id}`, { message: 'edited' })
    expect(ids(await messenger.ann.get('/conversations?limit=2'))).toEqual([newer, older])
  })
})

describe('conversations: fields of the caller and shared fields [MSG-CONV-10]', () => {
  test('is_pinned, is_muted, archived_at and last_opened_at belong to the caller', async () => {
    const id = await messenger.direct()
    await messenger.ann.put(`/conversations/${id}`, { is_pinned: true, is_muted: true, archived_at: 5 })
    await messenger.ann.post(`/conversations/${id}/read`, {})
    const ofBen = await messenger.ben.get(`/conversations/${id}`)
    expect(ofBen).toMatchObject({ is_pinned: false, is_muted: false, archived_at: null, last_opened_at: null })
    await messenger.ben.put(`/conversations/${id}`, { is_muted: false })
    const ofAnn = await messenger.ann.get(`/conversations/${id}`)
    expect(ofAnn).toMatchObject({ is_pinned: true, is_muted: true, archived_at: 5, last_opened_at: expect.any(Number) })
  })
  test('pinned_message_id and last_active_at belong to the conversation; contact_id is the other member', async () => {
    const id = await messenger.direct()
    const message = await messenger.say(id)
    await messenger.ben.put(`/conversations/${id}`, { pinned_message_id: message.id })
    const [ofAnn, ofBen] = [await messenger.ann.get(`/conversations/${id}`), await messenger.ben.get(`/conversations/${id}`)]
    expect([ofAnn.pinned_message_id, ofBen.pinned_message_id]).toEqual([message.id, message.id])
    expect(ofAnn.last_active_at).toBe(ofBen.last_active_at)
    expect([ofAnn.contact_id, ofBen.contact_id]).toEqual([messenger.ben.id, messenger.ann.id])
  })
})

describe('conversations: create', () => {
  test('create: makes a new conversation; with distinct it returns the existing one, to both members [MSG-CONV-4]', async () => {
    const { one, two } = await createMembers(messenger.server, ['one', 'two'])
    const first = await one.create('/conversations', { contact_id: two.id, distinct: true })
    expect(await one.post('/conversations', { contact_id: two.id, distinct: true })).toEqual(first)
    expect((await two.post('/conversations', { contact_id: one.id, distinct: true })).id).toBe(first.id)
    expect(await messenger.direct(one, two)).not.toBe(first.id)
    expect((await one.get('/conversations')).data).toHaveLength(2)
  })
  test('create: concurrent requests with distinct from both members make one conversation [MSG-CONV-4]', async () => {
    const { one, two } = await createMembers(messenger.server, ['one', 'two'])
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2
          ? one.send('POST', '/conversations', { contact_id: two.id, distinct: true })
          : two.send('POST', '/conversations', { contact_id: one.id, distinct: true }),
      ),
    )
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1)
    expect(created.filter(({ status }) => status === 201)).toHaveLength(1)
    expect((await one.get('/conversations')).data).toHaveLength(1)
  })
  test('create: distinct returns the existing conversation of a group [MSG-CONV-4]', async () => {
    const { group, conversation } = await messenger.group(messenger.ann, messenger.ben)
    expect((await messenger.ben.post('/conversations', { group_id: group, distinct: true })).id).toBe(conversation)
  })
  test('create: 404 for a group without membership and for a contact of another Workspace [MSG-CONV-3]', async () => {
    const { far } = await createMembers(messenger.server, ['far'], await messenger.operator.workspace())
    await messenger.ann.expectError('NOT_FOUND', 'POST', '/conversations', { contact_id: far.id })
    const { group } = await messenger.group(messenger.ann)
    await far.expectError('NOT_FOUND', 'POST', '/conversations', { group_id: group })
  })
})

describe('contacts and last_active_at', () => {
  test('last_active_at of a contact: created_at until the contact sends a message [MSG-RES-2]', async () => {
    const { quiet } = await createMembers(messenger.server, ['quiet'])
    const before = await messenger.ann.get(`/contacts/${quiet.id}`)
    expect(before.last_active_at).toBe(before.created_at)
    clock.advance(120_000)
    const sent = await messenger.say(await messenger.direct(quiet, messenger.ann), 'x', quiet)
    expect((await messenger.ann.get(`/contacts/${quiet.id}`)).last_active_at).toBeGreaterThanOrEqual(sent.created_at)
    expect(sent.contact.last_active_at).toBeGreaterThan(before.created_at)
  })
  test('last_active_at of a conversation: set by every stored message and by nothing else [MSG-CONV-12]', async () => {
    const id = await messenger.direct()
    await messenger.ann.send('POST', '/messages', { conversation_id: id, message: 'rowan-deny' })
    await messenger.ann.send('POST', '/messages', { conversation_id: id, message: 'rowan-hold' })
    expect((await messenger.ann.get(`/conversations/${id}`)).last_active_at).toBeNull()
    const first = await messenger.say(id)
    clock.advance(3_000)
    const second = await messenger.say(id, 'x', messenger.ben)
    expect(second.created_at).toBeGreaterThan(first.created_at)
    expect((await messenger.ann.get(`/conversations/${id}`)).last_active_at).toBe(second.created_at)
  })
})

describe('ordering and loss', () => {
  test('concurrent senders: no gap, no duplicate, and the same order for all members [MSG-MSG-10]', async () => {
    const { conversation } = await messenger.group(messenger.ann, messenger.ben, messenger.cleo)
    const senders = [messenger.ann, messenger.ben, messenger.cleo]
    const sent = await Promise.all(
      senders.map(async (person, sender) => {
        const texts = Array.from({ length: 15 }, (_, index) => `${sender}:${index}`)
        await messenger.sayAll(conversation, texts, person)
        return texts
      }),
    )
    const read = await messenger.texts(conversation)
    expect(read.toSorted()).toEqual(sent.flat().toSorted())
    // Messages of one sender are read in the order in which they were sent.
    for (const [sender, texts] of sent.entries()) expect(read.filter((text) => text.startsWith(`${sender}:`))).toEqual(texts)
    for (const person of senders) expect(await messenger.texts(conversation, person)).toEqual(read)
    const { rows } = await messenger.server.context.database.pool.query(
      'select sequence::int as place from message m where text = any($1) order by sequence',
      [read],
    )
    expect(rows.map(({ place }) => place)).toEqual(read.map((_, index) => index + 1))
  })
})
