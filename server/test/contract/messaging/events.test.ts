import { describe, expect, test } from 'vitest'
import type { StreamedEvent } from '../../../../bench/support/event-reader.ts'
import { pruneEventLog } from '../../../src/domains/messaging/events/event-log-store.ts'
import { messenger } from './shared-messenger.ts'

const about =
  (type: string, ...ids: readonly string[]) =>
  (event: StreamedEvent): boolean =>
    event.type === type && ids.every((id) => event.data.includes(id))

describe('events', () => {
  test('events: message, conversation, group and contact events go to members only [MSG-EVENT-1]', async () => {
    const [ann, ben, stan] = await Promise.all(
      [messenger.ann, messenger.ben, messenger.stan].map((person) => messenger.listen(person)),
    )
    const { group, conversation } = await messenger.group(messenger.ann, messenger.ben)
    const { id } = await messenger.say(conversation, 'first text')
    await messenger.ben.post(`/conversations/${conversation}/read`, {})
    await messenger.ann.put(`/messages/${id}`, { message: 'second text' })
    await messenger.ann.put(`/conversations/${conversation}`, { pinned_message_id: id })
    await messenger.ann.put(`/groups/${group}`, { name: 'renamed' })
    // A permanent deletion removes events that are not sent yet, so all must arrive first.
    for (const listener of [ann, ben]) await listener?.until(about('group.updated', group))
    await messenger.ann.remove(`/messages/${id}`)
    await messenger.ann.remove(`/conversations/${conversation}`)
    await messenger.ann.remove(`/groups/${group}`)
    for (const listener of [ann, ben]) {
      await listener?.until(about('group.deleted', group))
      const types = listener?.events.filter(({ data }) => [group, conversation, id].some((objectId) => data.includes(objectId)))
      expect(types?.map(({ type }) => type)).toEqual([
        'group.created',
        'conversation.created',
        'message.created',
        'message.read',
        'message.updated',
        'conversation.updated',
        'group.updated',
        'message.deleted',
        'conversation.deleted',
        'group.deleted',
      ])
      const ids = listener?.events.map((event) => event.id) ?? []
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    }
    await messenger.stan.put(`/contacts/${messenger.stan.id}`, { display_name: 'Stan' })
    await stan?.until(about('contact.updated', messenger.stan.id))
    expect(stan?.events.map(({ data }) => data).join()).not.toMatch(new RegExp(`${group}|${conversation}|${id}`))
    for (const listener of [ann, ben, stan]) listener?.close()
  })
  test("events: changes of a member's own fields go to that member only", async () => {
    const id = await messenger.direct()
    const [ann, ben] = [await messenger.listen(messenger.ann), await messenger.listen(messenger.ben)]
    await messenger.ann.put(`/conversations/${id}`, { is_muted: true, archived_at: 5 })
    await ann.until(about('conversation.updated', id))
    const { id: message } = await messenger.say(id)
    await ben.until(about('message.created', message))
    expect(ben.events.filter(about('conversation.updated', id))).toEqual([])
    for (const listener of [ann, ben]) listener.close()
  })
  test('events: message.held and message.released go to the sender, message.created to all members [MSG-EVENT-1]', async () => {
    const id = await messenger.direct()
    const [ann, ben] = [await messenger.listen(messenger.ann), await messenger.listen(messenger.ben)]
    const fields = { conversation_id: id, message: 'rowan-hold of events' }
    const { review_item_id } = await messenger.ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', fields)
    await ann.until(about('message.held', review_item_id))
    await messenger.decide(review_item_id, 'approve')
    // The relay runs every 250 ms. An approval does not start it.
    await messenger.server.context.relay.run()
    await ann.until(about('message.released', review_item_id))
    await ben.until(about('message.created', id))
    expect(ben.events.map(({ type }) => type)).not.toContain('message.held')
    expect(ben.events.map(({ type }) => type)).not.toContain('message.released')
    for (const listener of [ann, ben]) listener.close()
  })
  test('resume: with Last-Event-ID or after, from every position, without loss or duplicate [MSG-EVENT-2]', async () => {
    const id = await messenger.direct()
    const complete = await messenger.listen(messenger.ben)
    const messages = await messenger.sayAll(id, ['1', '2', '3', '4', '5'])
    const isLast = about('message.created', messages[4].id)
    await complete.until(isLast)
    const all = complete.events
    for (const [index, { id: position }] of all.entries()) {
      for (const again of [
        await messenger.listen(messenger.ben, position),
        await messenger.listen(messenger.ben, undefined, `after=${position}`),
      ]) {
        if (index < all.length - 1) await again.until(isLast)
        expect(again.events).toEqual(all.slice(index + 1))
        again.close()
      }
    }
    complete.close()
  })
  test('resume: events of the time without a connection follow in order [MSG-EVENT-2]', async () => {
    const id = await messenger.direct()
    const listener = await messenger.listen(messenger.ben)
    const position = listener.position
    listener.close()
    const messages = await Promise.all(Array.from({ length: 12 }, (_, index) => messenger.say(id, `${index}`)))
    const again = await messenger.listen(messenger.ben, position)
    for (const { id: message } of messages) await again.until(about('message.created', message))
    const received = again.events.filter(({ type }) => type === 'message.created').map(({ data }) => JSON.parse(data).id)
    const { data } = await messenger.ben.get(`/messages?conversation_id=${id}&limit=100`)
    expect(received).toEqual(data.map((message: { id: string }) => message.id).reverse())
    again.close()
  })
  test('events: none for a refused write, and one for a repeated request', async () => {
    const id = await messenger.direct()
    const listener = await messenger.listen(messenger.ben)
    await messenger.ann.send('POST', '/messages', { conversation_id: id, message: 'rowan-deny' })
    const sending = { headers: { 'idempotency-key': id } }
    for (let times = 0; times < 3; times++)
      await messenger.ann.create('/messages', { conversation_id: id, message: 'once' }, sending)
    const { id: last } = await messenger.say(id)
    await listener.until(about('message.created', last))
    expect(listener.events.filter(about('message.created', id))).toHaveLength(2)
    listener.close()
  })
  test('resume: 400 when the position is not an id, 401 without a token', async () => {
    await messenger.ann.expectError('VALIDATION_ERROR', 'GET', '/events', undefined, { headers: { 'last-event-id': 'x' } })
    await messenger.ann.expectError('VALIDATION_ERROR', 'GET', '/events?after=-1')
    await messenger.ann.expectError('AUTH_INVALID_KEY', 'GET', '/events', undefined, { token: null })
  })
  test('resume: event: reset when the position is older than the log, then new events [MSG-EVENT-3]', async () => {
    const id = await messenger.direct()
    await messenger.say(id)
    const first = await messenger.listen(messenger.ben, 0)
    await messenger.server.context.relay.run()
    while (await pruneEventLog(messenger.server.context.db, new Date(Date.now() + 400 * 86_400_000), 1_000));
    const listener = await messenger.listen(messenger.ben, 1)
    expect(await listener.until(({ type }) => type === 'reset')).toMatchObject({ type: 'reset' })
    const { id: message } = await messenger.say(id)
    await listener.until(about('message.created', message))
    expect(listener.events.map(({ type }) => type)).toEqual(['reset', 'message.created'])
    for (const reader of [first, listener]) reader.close()
  })
})
