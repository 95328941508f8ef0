import { describe, expect, test } from 'vitest'
import { EventReader } from '../../../bench/support/event-reader.ts'
import { adminClient, type Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type Member, unlimitedRate } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo'])
const chat = await ann.create('/conversations', { contact_id: ben.id })

const say = (message: string): Promise<Json> => ann.create('/messages', { conversation_id: chat.id, message })
const about =
  ({ id }: { id: string }, type = 'message.created') =>
  (event: { type: string; data: string }) =>
    event.type === type && JSON.parse(event.data).id === id
const listen = ({ token }: Member, lastEventId?: number, query?: string): Promise<EventReader> =>
  EventReader.open({ base: server.base, token, lastEventId, ...(query !== undefined && { query }) })

describe('reader that resumes', () => {
  test('events: Last-Event-ID counts when the query names another position', async () => {
    const reader = await listen(ben)
    const one = await say('one')
    const { id } = await reader.until(about(one))
    reader.close()
    const two = await say('two')
    const again = await listen(ben, id, `after=${id - 1}`)
    await again.until(about(two))
    expect(again.events.some(about(one))).toBe(false)
    again.close()
  })

  test('events: reader gets only the deletion when a message was sent and deleted while it was away', async () => {
    const reader = await listen(ben)
    reader.close()
    const gone = await say('soon gone')
    await ann.remove(`/messages/${gone.id}`)
    const again = await listen(ben, reader.position)
    await again.until(about(gone, 'message.deleted'))
    expect(again.events.map(({ type }) => type)).toEqual(['message.deleted'])
    again.close()
  })
})

test('events: reader gets a reset event and then new events when its position is not in the log', async () => {
  const reader = await listen(ben, 900_000_000)
  const { id } = await reader.until(({ type }) => type === 'reset')
  const next = await say('after the reset')
  await reader.until(about(next))
  expect(reader.events.map(({ type }) => type)).toEqual(['reset', 'message.created'])
  expect(reader.events[1]?.id).toBeGreaterThan(id)
  reader.close()
})

test.each(['x', '-1', '1.5', '9'.repeat(20)])(
  'events: request gets 400 when the position is %s, as header or as query',
  async (id) => {
    const error = await ben.expectError('VALIDATION_ERROR', 'GET', '/events', undefined, { headers: { 'last-event-id': id } })
    expect(error.param).toBe('Last-Event-ID')
    expect((await ben.expectError('VALIDATION_ERROR', 'GET', `/events?after=${id}`)).param).toBe('after')
  },
)

test('events: response has no stream when the method is HEAD', async () => {
  const reply = await ben.send('HEAD', '/events')
  expect([reply.status, reply.text]).toEqual([200, ''])
})

test('events: stream ends when its token is revoked, and other streams of the user continue', async () => {
  const admin = adminClient(server)
  const { id, token } = await admin.create(`/users/${ben.id}/tokens`, {})
  const [revoked, other] = [await listen({ ...ben, token }), await listen(ben)]
  await admin.post(`/access-tokens/${id}/revoke`)
  await expect(revoked.until(() => false, 10_000)).rejects.toThrow('ended: true')
  expect(other.ended).toBe(false)
  other.close()
})

test('events: request gets 429 when the user has 50 open streams', async () => {
  const readers = await Promise.all(Array.from({ length: 50 }, () => listen(cleo)))
  const refusal = await cleo.send('GET', '/events')
  expect([refusal.status, refusal.body?.error.code, refusal.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '10'])
  for (const reader of readers) reader.close()
})

test('events: streams end when the server stops', async () => {
  const other = await startServer({}, { userRateLimiter: unlimitedRate() })
  const { dora } = await createMembers(other, ['dora'])
  const reader = await EventReader.open({ base: other.base, token: dora.token })
  await other.app.close()
  await expect(reader.until(() => false)).rejects.toThrow('ended: true')
  await other.close()
})

test('events: former member gets no event of the group, also not older ones, when the member resumes', async () => {
  const group = await ann.create('/groups', { name: 'Leaving', contacts: [ben.id, cleo.id] })
  const talk = await ann.create('/conversations', { group_id: group.id })
  const reader = await listen(cleo)
  const sent = await ann.create('/messages', { conversation_id: talk.id, message: 'for members only' })
  await reader.until(about(sent))
  const position = reader.events[0]?.id ?? 0
  await ann.remove(`/groups/${group.id}/contacts/${cleo.id}`)
  await ben.remove(`/groups/${group.id}/contacts/${ben.id}`)
  for (const left of [cleo, ben]) {
    const again = await listen(left, position - 1)
    await again.until(({ type, data }) => type === 'group.deleted' && JSON.parse(data).id === group.id)
    const received = again.events.map(({ data }) => data).join('\n')
    expect(received).not.toContain('for members only')
    expect(received).not.toContain(talk.id)
    again.close()
  }
  // A member who stays resumes from the same position.
  const reopened = await listen(ann, position - 1)
  expect((await reopened.until(about(sent))).data).toContain('for members only')
  for (const one of [reader, reopened]) one.close()
})
