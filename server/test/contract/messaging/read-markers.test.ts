import { describe, expect, test } from 'vitest'
import type { Member } from '../../messaging/client.ts'
import { clock, FORMS, messenger, unknown } from './shared-messenger.ts'

describe('read_at and last_opened_at [MSG-CONV-13]', () => {
  test('direct: read_at is set when the other member reads; a GET sets nothing; unread_count is derived [MSG-MSG-9, MSG-CONV-14]', async () => {
    const id = await messenger.direct()
    const [first, second, third] = await messenger.sayAll(id, ['1', '2', '3'])
    const state = async () => {
      const readAt = async ({ id: message }: { id: string }) => (await messenger.ann.get(`/messages/${message}`)).read_at
      const { unread_count, last_opened_at } = await messenger.ben.get(`/conversations/${id}`)
      return {
        read: (await Promise.all([first, second, third].map(readAt))).map((at) => at !== null),
        unread_count,
        last_opened_at,
      }
    }
    await messenger.ben.get(`/messages?conversation_id=${id}`)
    await messenger.ben.get(`/messages/${third.id}`)
    expect(await state()).toEqual({ read: [false, false, false], unread_count: 3, last_opened_at: null })
    const read = await messenger.ben.post(`/conversations/${id}/read`, { message_id: second.id })
    expect(read).toMatchObject({ id, unread_count: 1, last_opened_at: expect.any(Number) })
    expect(await state()).toMatchObject({ read: [true, true, false], unread_count: 1 })
    // The marker never moves back.
    await messenger.ben.post(`/conversations/${id}/read`, { message_id: first.id })
    expect(await state()).toMatchObject({ read: [true, true, false], unread_count: 1 })
    await messenger.ben.post(`/conversations/${id}/read`)
    expect(await state()).toMatchObject({ read: [true, true, true], unread_count: 0 })
  })
  test("direct: the caller's marker sets read_at of the other member's messages, for both [MSG-MSG-9]", async () => {
    const id = await messenger.direct()
    const received = await messenger.say(id, 'x', messenger.ben)
    const own = await messenger.say(id)
    await messenger.ann.post(`/conversations/${id}/read`, {})
    for (const person of [messenger.ann, messenger.ben]) {
      expect((await person.get(`/messages/${received.id}`)).read_at).toEqual(expect.any(Number))
      expect((await person.get(`/messages/${own.id}`)).read_at).toBeNull()
    }
  })
  test('read_at: does not change when the message is read again', async () => {
    const id = await messenger.direct()
    const { id: message } = await messenger.say(id)
    await messenger.ben.post(`/conversations/${id}/read`, {})
    const { read_at } = await messenger.ann.get(`/messages/${message}`)
    clock.advance(5_000)
    const { last_opened_at } = await messenger.ben.post(`/conversations/${id}/read`, {})
    expect((await messenger.ann.get(`/messages/${message}`)).read_at).toBe(read_at)
    expect(last_opened_at).toBeGreaterThan(read_at)
  })
  test('group: read_at is set when the last other member reads [MSG-MSG-9]', async () => {
    const { conversation } = await messenger.group(messenger.ann, messenger.ben, messenger.cleo)
    const { id } = await messenger.say(conversation)
    const readAt = async () => (await messenger.ann.get(`/messages/${id}`)).read_at
    await messenger.ann.post(`/conversations/${conversation}/read`, {})
    await messenger.ben.post(`/conversations/${conversation}/read`, {})
    expect(await readAt()).toBeNull()
    await messenger.cleo.post(`/conversations/${conversation}/read`, {})
    expect(await readAt()).toEqual(expect.any(Number))
  })
  test('unread_count: own messages do not count, deleted ones no longer [MSG-CONV-14]', async () => {
    const id = await messenger.direct()
    const [first] = await messenger.sayAll(id, ['1', '2'])
    await messenger.say(id, '3', messenger.ben)
    const unread = async (person: Member) => (await person.get(`/conversations/${id}`)).unread_count
    expect([await unread(messenger.ann), await unread(messenger.ben)]).toEqual([1, 2])
    await messenger.ann.remove(`/messages/${first.id}`)
    expect(await unread(messenger.ben)).toBe(1)
    expect(
      (await messenger.ben.get('/conversations?limit=100')).data.find((listed: { id: string }) => listed.id === id).unread_count,
    ).toBe(1)
  })
  test.each(FORMS)('read: 400 when the message is unknown or of another conversation (%s)', async (as) => {
    const id = await messenger.direct()
    await messenger.say(id)
    const foreign = await messenger.say(await messenger.direct())
    for (const message_id of [foreign.id, unknown('msg'), 'nothing']) {
      const fields = { message_id }
      const error = await messenger.ben.expectError('VALIDATION_ERROR', 'POST', `/conversations/${id}/read`, fields, { as })
      expect(error.param).toBe('message_id')
    }
    expect(await messenger.ben.get(`/conversations/${id}`)).toMatchObject({ unread_count: 1, last_opened_at: null })
  })
})
