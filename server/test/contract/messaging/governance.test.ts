import { describe, expect, test } from 'vitest'
import { createMembers } from '../../messaging/client.ts'
import { word } from '../../support/scripted-provider.ts'
import { FORMS, messenger } from './shared-messenger.ts'

const STAGES = 12
const record = async (auditId: string) => messenger.operator.get(`/audit/${auditId}`)
const review = async (id: string) => messenger.operator.get(`/reviews/${id}`)

describe.each(FORMS)('governance of messages (%s)', (as) => {
  const sending = { as }
  const create = async (message: string) => {
    const id = await messenger.direct()
    return { id, message: `${message} ${word()}`, send: (text: string) => ({ conversation_id: id, message: text }) }
  }

  test('deny on create: 403 POLICY_DENIED with audit_id, nothing is stored and no event is sent [MSG-GOV-1, MSG-GOV-2]', async () => {
    const { id, message, send } = await create('rowan-deny')
    const error = await messenger.ann.expectError('POLICY_DENIED', 'POST', '/messages', send(message), sending)
    expect(error.audit_id).toMatch(/^aud_/)
    expect(await messenger.texts(id, messenger.ben)).toEqual([])
    expect(await messenger.ben.get(`/conversations/${id}`)).toMatchObject({ unread_count: 0, last_active_at: null })
  })
  test('deny on update: 403 POLICY_DENIED with audit_id, the old text stays [MSG-GOV-1, MSG-GOV-2]', async () => {
    const { id, message } = await create('rowan-deny')
    const sent = await messenger.say(id, 'harmless')
    const error = await messenger.ann.expectError('POLICY_DENIED', 'PUT', `/messages/${sent.id}`, { message }, sending)
    expect(error.audit_id).toMatch(/^aud_/)
    expect(await messenger.ben.get(`/messages/${sent.id}`)).toEqual(sent)
  })
  test.each([
    ['rowan-redact', '[EMAIL]'],
    ['rowan-mask', '.org'],
  ])('transforms are stored, on create and on update: %s [MSG-GOV-3]', async (mark, trace) => {
    const { id, send } = await create('')
    const text = `${mark} jane.roe@example.org`
    const sent = await messenger.ann.create('/messages', send(text), sending)
    const changed = await messenger.ann.put(`/messages/${(await messenger.say(id)).id}`, { message: text }, sending)
    for (const shown of [sent.message, changed.message, ...(await messenger.texts(id, messenger.ben))]) {
      expect(shown).not.toContain('jane.roe@')
    }
    expect(sent.message).toContain(trace)
    expect((await record(sent.governance.audit_id)).decision.transforms).toHaveLength(1)
    const { rows } = await messenger.server.context.database.pool.query("select 1 from message where text like '%jane.roe@%'")
    expect(rows).toEqual([])
  })
  test('escalate: stored and shown to reviewers [MSG-GOV-4]', async () => {
    const { id, message, send } = await create('rowan-escalate')
    const sent = await messenger.ann.create('/messages', send(message), sending)
    expect(await messenger.texts(id, messenger.ben)).toEqual([message])
    const { review: link, decision } = await record(sent.governance.audit_id)
    expect(decision.verdict).toBe('escalate')
    expect(await review(link.id)).toMatchObject({ kind: 'escalation', endpoint: 'message' })
  })
  test('require_approval on create: 409 with review_item_id, hidden from other users, stored once on approval [MSG-GOV-5]', async () => {
    const { id, message, send } = await create('rowan-hold')
    const error = await messenger.ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', send(message), sending)
    expect([error.review_item_id, error.audit_id]).toEqual([expect.stringMatching(/^rev_/), expect.stringMatching(/^aud_/)])
    expect(await messenger.texts(id, messenger.ben)).toEqual([])
    expect((await messenger.ben.get(`/messages/search?q=${message.split(' ')[1]}`)).data).toEqual([])
    // A repeated request waits for the same decision.
    const again = await messenger.ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', send(message), sending)
    expect(again.review_item_id).toBe(error.review_item_id)
    expect((await messenger.decide(error.review_item_id, 'approve')).state).toBe('released')
    for (const person of [messenger.ann, messenger.ben]) expect(await messenger.texts(id, person)).toEqual([message])
    const late = await messenger.admin('POST', `/reviews/${error.review_item_id}/approve`, { json: {} })
    expect([late.status, late.body.error.code]).toEqual([409, 'CONFLICT'])
    expect(await messenger.texts(id)).toEqual([message])
  })
  test('require_approval on update: the old text stays until it is approved [MSG-GOV-5]', async () => {
    const { id, message } = await create('rowan-hold')
    const sent = await messenger.say(id, 'before')
    const error = await messenger.ann.expectError('POLICY_REVIEW_PENDING', 'PUT', `/messages/${sent.id}`, { message }, sending)
    expect(await messenger.texts(id, messenger.ben)).toEqual(['before'])
    await messenger.decide(error.review_item_id, 'approve')
    expect(await messenger.texts(id, messenger.ben)).toEqual([message])
    expect((await messenger.ben.get(`/messages/${sent.id}`)).updated_at).toEqual(expect.any(Number))
  })
})

describe('governance of messages', () => {
  test('rule: denies the message when it fails', async () => {
    const fields = { conversation_id: await messenger.direct(), message: 'rowan-broken' }
    await messenger.ann.expectError('POLICY_DENIED', 'POST', '/messages', fields)
  })
  test('policies: read sender, conversation, findings and group [GW-POL-17]', async () => {
    const id = await messenger.direct()
    const sent = await messenger.say(id, 'rowan-facts jane.roe@example.org')
    expect((await record(sent.governance.audit_id)).decision.verdict).toBe('escalate')
    await messenger.say(id, 'rowan-group')
    const { conversation } = await messenger.group(messenger.ann, messenger.ben)
    await messenger.ann.expectError('POLICY_DENIED', 'POST', '/messages', {
      conversation_id: conversation,
      message: 'rowan-group',
    })
  })
  test('record: has endpoint message, no Application, twelve stages, and hashes instead of the text [MSG-GOV-1]', async () => {
    const secret = word()
    const id = await messenger.direct()
    const sent = await messenger.say(id, `${secret} jane.roe@example.org`)
    const auditRecord = await record(sent.governance.audit_id)
    expect(auditRecord).toMatchObject({ endpoint: 'message', application_id: null, status: 201, error_code: null })
    expect(auditRecord.stages).toHaveLength(STAGES)
    expect(JSON.stringify(auditRecord)).not.toContain(secret)
    expect(JSON.stringify(auditRecord)).not.toContain('jane.roe')
    const fields = { conversation_id: id, message: `rowan-deny ${secret}` }
    const { audit_id } = await messenger.ann.expectError('POLICY_DENIED', 'POST', '/messages', fields)
    expect(await record(audit_id)).toMatchObject({ endpoint: 'message', status: 403, error_code: 'POLICY_DENIED' })
    expect(messenger.server.logs()).not.toContain(secret)
  })
  test('without messaging policies: stored unchanged and not recorded [MSG-GOV-6]', async () => {
    const workspace = await messenger.operator.workspace()
    const { dora, ezra } = await createMembers(messenger.server, ['dora', 'ezra'], workspace)
    const before = (await messenger.operator.get('/audit?limit=100', { workspace })).data.length
    const id = await messenger.direct(dora, ezra)
    const sent = await messenger.say(id, 'rowan-deny jane.roe@example.org', dora)
    expect([sent.message, sent.governance]).toEqual(['rowan-deny jane.roe@example.org', null])
    expect((await messenger.operator.get('/audit?limit=100', { workspace })).data).toHaveLength(before)
  })
})
