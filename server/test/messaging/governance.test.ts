import { describe, expect, test } from 'vitest'
import { removeExpiredHolds } from '../../src/domains/messaging/messages/release-held.ts'
import { prepareMessage, storeMessage } from '../../src/domains/messaging/messages/send-message.ts'
import { ANONYMOUS_USER } from '../../src/shared/principal.ts'
import { accepted } from '../../src/shared/request-errors.ts'
import { adminClient, type Json } from '../admin/client.ts'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { type EmittedEvent, findEmittedEvents } from '../support/emitted-events.ts'
import { word } from '../support/scripted-provider.ts'
import { startServer } from '../support/server.ts'
import { createMembers, type Member, unlimitedRate } from './client.ts'

const rule = (word: string, demands: object, at = 'message') => ({
  id: word,
  at: [at],
  when: `content.text.contains("${word}")`,
  ...demands,
})
const RULES = [
  rule('fennel-deny', { verdict: 'deny' }),
  rule('fennel-escalate', { verdict: 'escalate' }),
  rule('fennel-hold', { verdict: 'require_approval' }),
  rule('fennel-brief', { verdict: 'require_approval', hold_expires_in: '30s' }),
  rule('fennel-redact', { verdict: 'allow', transforms: ['redact:pii'] }),
]

const clock = adjustableClock()
const publish = (rules: readonly object[]) => admin.create('/policy-sets', { source: JSON.stringify({ name: 'demo', rules }) })
const server = await closeAfterAll(startServer({}, { clock, userRateLimiter: unlimitedRate() }))
const admin = adminClient(server)
const { ann, ben } = await createMembers(server, ['ann', 'ben'])
await publish(RULES)
const chat = await ann.create('/conversations', { contact_id: ben.id })

const fields = (message: string, more: object = {}) => ({ conversation_id: chat.id, message, ...more })
const say = (message: string): Promise<Json> => ann.create('/messages', fields(message))
const textsIn = async (member: Member = ben, id: string = chat.id): Promise<string[]> =>
  (await member.get(`/messages?limit=100&conversation_id=${id}`)).data.map(({ message }: Json) => message)
const hold = (message: string, sending = {}): Promise<Json> =>
  ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', fields(message), sending)
const eventsOf = async (type: string, about: string): Promise<EmittedEvent[]> =>
  (await findEmittedEvents(server.context.db, type)).filter(({ payload }) => JSON.stringify(payload).includes(about))

describe('deny', () => {
  test('message policies: message is not stored and the refusal names rule and record when a rule denies it', async () => {
    const text = `fennel-deny ${word()}`
    const error = await ann.expectError('POLICY_DENIED', 'POST', '/messages', fields(text))
    expect(error.details).toEqual({ rules: ['fennel-deny'], point: 'message' })
    expect(await textsIn()).not.toContain(text)
    const record = await admin.get(`/audit/${error.audit_id}`)
    expect(record).toMatchObject({
      endpoint: 'message',
      application_id: null,
      status: 403,
      error_code: 'POLICY_DENIED',
      decision: { verdict: 'deny', rules: [{ id: 'fennel-deny', point: 'message', verdict: 'deny' }] },
      features: { 'message.conversation_id': chat.id, 'message.change': 'create' },
      user: { verified: true },
    })
    expect(record.stages).toHaveLength(12)
    expect(JSON.stringify(record)).not.toContain(text)
    expect(JSON.stringify(record)).not.toContain(ann.id)
  })

  test('message policies: reaction is refused when a rule denies its name or value', async () => {
    const { id } = await say('react')
    for (const reactions of [{ 'fennel-deny': ['x'] }, { heart: ['fennel-deny'] }, [{ heart: ['fennel-hold'] }]]) {
      await ben.expectError('POLICY_DENIED', 'PUT', `/messages/${id}`, { reactions })
    }
    await ben.expectError('POLICY_DENIED', 'PUT', `/messages/${id}/reactions/fennel-deny`)
    expect((await ann.get(`/messages/${id}`)).reactions).toEqual([])
    await ben.put(`/messages/${id}/reactions/heart`)
  })
})

describe('allow and escalate', () => {
  test('message policies: transformed text is stored and the message names its record when a rule transforms it', async () => {
    const sent = await say('fennel-redact jane.roe@example.org')
    expect(sent.message).toBe('fennel-redact [EMAIL]')
    const record = await admin.get(`/audit/${sent.governance.audit_id}`)
    expect(record).toMatchObject({ status: 201, decision: { verdict: 'allow', transforms: ['redact:pii'] } })
    const changed = await ann.put(`/messages/${sent.id}`, { message: 'fennel-redact bob@example.org' })
    expect(changed.message).toBe('fennel-redact [EMAIL]')
    expect(changed.governance.audit_id).not.toBe(sent.governance.audit_id)
  })

  test('message policies: rules apply to file names, with and without a text', async () => {
    const upload = async (name: string): Promise<string> => (await ann.upload('hello', name)).id
    const [plain, telling, bad] = [await upload('a.txt'), await upload('jane.roe@example.org'), await upload('fennel-deny.txt')]
    await ann.expectError('POLICY_DENIED', 'POST', '/messages', fields('see', { attachments: [bad] }))
    const sent = await ann.create('/messages', fields('fennel-redact', { attachments: [plain, telling] }))
    expect(sent.attachments.map(({ filename }: Json) => filename)).toEqual(['a.txt', '[EMAIL]'])
    await ann.expectError('POLICY_DENIED', 'PUT', `/messages/${sent.id}`, { attachments: [plain, bad] })
    const other = await upload('fennel-redact bob@example.org')
    const changed = await ann.put(`/messages/${sent.id}`, { attachments: [plain, other] })
    expect(changed.attachments.map(({ filename }: Json) => filename)).toEqual(['a.txt', 'fennel-redact [EMAIL]'])
  })

  test('message policies: escalated message is stored and shown to reviewers until it is deleted', async () => {
    const text = `fennel-escalate ${word()}`
    const { id, governance } = await say(text)
    expect(await textsIn()).toContain(text)
    const { data } = await admin.get('/reviews?kind=escalation&state=pending&limit=100')
    const item = data.find((one: Json) => one.audit_id === governance.audit_id)
    expect(item).toMatchObject({ message_id: id, application_id: null, endpoint: 'message', session_id: chat.id })
    expect((await admin.get(`/reviews/${item.id}`)).content.messages[0].content).toBe(text)
    expect((await admin.get(`/audit/${governance.audit_id}`)).review).toEqual({ id: item.id, state: 'pending' })
    await ann.remove(`/messages/${id}`)
    expect(await admin.get(`/reviews/${item.id}`)).toMatchObject({ state: 'expired', content: null })
    await admin.get(`/audit/${governance.audit_id}`)
  })
})

describe('require_approval', () => {
  test('message policies: held message is visible to no member, and is stored once when it is approved', async () => {
    const text = `fennel-hold ${word()}`
    const error = await hold(text)
    expect(error).toMatchObject({ review_item_id: expect.stringMatching(/^rev_/), audit_id: expect.stringMatching(/^aud_/) })
    for (const who of [ann, ben]) {
      expect(await textsIn(who)).not.toContain(text)
      expect((await who.get(`/messages/search?q=${encodeURIComponent(text)}`)).data).toEqual([])
    }
    expect(await eventsOf('message.held', error.review_item_id)).toEqual([
      {
        type: 'message.held',
        audience: [ann.id],
        payload: expect.objectContaining({ conversation_id: chat.id, state: 'pending' }),
      },
    ])
    const approved = await admin.post(`/reviews/${error.review_item_id}/approve`, { comment: 'fine' })
    expect(approved).toMatchObject({ state: 'released', released_audit_id: expect.stringMatching(/^aud_/) })
    expect((await textsIn()).filter((one) => one === text)).toEqual([text])
    expect((await admin.send('POST', `/reviews/${error.review_item_id}/approve`, {})).status).toBe(409)
    expect((await textsIn()).filter((one) => one === text)).toEqual([text])
    const [message] = (await ben.get(`/messages?conversation_id=${chat.id}`)).data
    expect(message).toMatchObject({ id: approved.message_id, governance: { audit_id: approved.released_audit_id } })
    expect((await admin.get(`/reviews/${error.review_item_id}`)).content).toBeNull()
    expect(await eventsOf('message.released', error.review_item_id)).toHaveLength(1)
    expect(await eventsOf('message.created', message.id)).toMatchObject([{ audience: expect.arrayContaining([ann.id, ben.id]) }])
  })

  test('message policies: identical held messages share one review item', async () => {
    const text = `fennel-hold ${word()}`
    const sending = { headers: { 'idempotency-key': word() } }
    const items = [await hold(text, sending), await hold(text, sending), await hold(text)]
    expect(items[1]).toEqual(items[0])
    expect(new Set(items.map((error) => error.review_item_id)).size).toBe(1)
    await admin.post(`/reviews/${items[0].review_item_id}/approve`)
    expect((await textsIn()).filter((one) => one === text)).toEqual([text])
  })

  test('message policies: held message is not stored and its sender gets an event when a reviewer denies it', async () => {
    const text = `fennel-hold ${word()}`
    const { review_item_id: id } = await hold(text)
    expect((await admin.post(`/reviews/${id}/deny`, { comment: 'no' })).state).toBe('denied')
    expect(await textsIn()).not.toContain(text)
    expect(await eventsOf('message.held', id)).toMatchObject([
      { payload: { state: 'pending' } },
      { payload: { state: 'denied' } },
    ])
  })

  test('message policies: request gets 404 and opens no hold when the conversation is deleted during evaluation', async () => {
    const { context } = server
    const { workspace_id: workspaceId } = await admin.get(`/users/${ann.id}`)
    const sender = { workspaceId, user: { ...ANONYMOUS_USER, id: ann.id } }
    const { id } = await ann.create('/conversations', { contact_id: ben.id, distinct: false })
    const draft = { conversationId: id, text: `fennel-hold ${word()}`, attachments: [] }
    const ready = accepted(await prepareMessage(context, sender, draft, clock.now()))
    await ann.remove(`/conversations/${id}`)
    const stored = await context.db.transaction().execute((tx) => storeMessage(tx, sender, ready, clock.now()))
    expect(stored).toMatchObject({ code: 'NOT_FOUND' })
    expect((await admin.get('/reviews?state=pending&limit=100')).data.map(({ user_id }: Json) => user_id)).not.toContain(ann.id)
  })

  test('message policies: held message cannot be approved when the active policies deny it by then', async () => {
    const text = `fennel-hold parsnip ${word()}`
    const { review_item_id: id } = await hold(text)
    expect((await admin.get(`/reviews/${id}/preview`)).released).toEqual({ messages: [{ role: 'user', content: text }] })
    await publish([...RULES, rule('parsnip', { verdict: 'deny' })])
    expect(await admin.get(`/reviews/${id}/preview`)).toMatchObject({
      released: null,
      refusal: { reason: 'policy_denies_now' },
      remembered: { memories: [], reason: 'message' },
    })
    expect((await admin.send('POST', `/reviews/${id}/approve`, {})).status).toBe(409)
    expect((await admin.get(`/reviews/${id}`)).state).toBe('pending')
    await publish(RULES)
    await admin.post(`/reviews/${id}/approve`)
    expect(await textsIn()).toContain(text)
  })

  test('message policies: review item expires and loses its content when its conversation is deleted', async () => {
    const { id } = await ann.create('/conversations', { contact_id: ben.id })
    const error = await ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', {
      conversation_id: id,
      message: 'fennel-hold',
    })
    await ben.remove(`/conversations/${id}`)
    expect(await admin.get(`/reviews/${error.review_item_id}`)).toMatchObject({ state: 'expired', content: null })
    expect((await admin.send('POST', `/reviews/${error.review_item_id}/approve`, {})).status).toBe(409)
  })

  test('message policies: held message cannot be approved and its sender gets an event when the hold expires', async () => {
    const { review_item_id: id } = await hold(`fennel-brief ${word()}`)
    clock.advance(31_000)
    expect((await admin.send('POST', `/reviews/${id}/approve`, {})).status).toBe(409)
    const { db } = server.context
    while ((await removeExpiredHolds(db, clock.now(), 100)) === 100);
    expect(await eventsOf('message.held', id)).toMatchObject([
      { payload: { state: 'pending' } },
      { payload: { state: 'expired' } },
    ])
    expect(await removeExpiredHolds(db, clock.now(), 100)).toBe(0)
  })
})
