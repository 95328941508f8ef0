import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { adminClient, expectError, type Json } from '../admin/client.ts'
import { createMembers } from '../messaging/client.ts'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { blocksOf } from '../support/code-blocks.ts'
import { startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { runRecurringJob } from '../support/recurring-jobs.ts'
import { says, word } from '../support/scripted-provider.ts'
import { type Receiver, startReceiver } from '../support/webhook-fixture.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const PUBLIC_URL = 'https://gatehouse.example.com'
const clock = adjustableClock()

const rule = { at: ['input'], verdict: 'require_approval' }
const RULES = [
  ...MARKER_RULES,
  { ...rule, id: 'short-hold', when: 'content.text.contains("short-hold")', hold_expires_in: '1h' },
  { ...rule, id: 'shown-later', when: 'content.text.contains("shown-later")', verdict: 'escalate' },
]

const open: Receiver[] = []
const governed = await startGoverned(
  { GATEHOUSE_ALLOW_PRIVATE_URLS: '1', GATEHOUSE_PUBLIC_URL: PUBLIC_URL },
  { clock, random: () => 0.5 },
)
const admin = adminClient(governed.server)
await governed.publish(RULES)
afterEach(async () => {
  for (const receiver of open.splice(0)) receiver.close()
  for (const { id } of (await admin.get('/webhooks')).data) await admin.remove(`/webhooks/${id}`)
})
afterAll(() => governed.close())

const createWebhook = async (fields: object = {}) => {
  const receiver = await startReceiver()
  open.push(receiver)
  await governed.server.context.relay.run()
  const webhook = await admin.create('/webhooks', { url: receiver.url, ...fields })
  return { receiver, webhook }
}
const deliver = async (): Promise<void> => {
  await governed.server.context.relay.run()
  await governed.server.context.webhooks.idle()
}
const run = async (name: string): Promise<void> => {
  await runRecurringJob(governed.server.context, name)
  await deliver()
}
/** In the order in which they happened: several are delivered at once. */
const eventsOf = (receiver: Receiver, id?: string): Json[] =>
  receiver.received
    .map(({ body }) => body)
    .filter(({ payload }) => id === undefined || payload.id === id)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
const typesOf = (receiver: Receiver, id?: string): string[] => eventsOf(receiver, id).map(({ type }) => type)

describe('events of reviews, policies and keys [ADM-HOOK-1]', () => {
  test('a hold is announced when it is opened, assigned and decided, signed and with the link, without content', async () => {
    const { receiver, webhook } = await createWebhook()
    const reviewer = await admin.create('/operators', { email: 'rita@example.com', name: 'Rita', role: 'reviewer' })
    const held = await governed.holdPrompt()
    await admin.post(`/reviews/${held.id}/assign`, { operator_id: reviewer.operator.id })
    await governed.decide(held.id, 'approve', 'a comment about the request')
    await deliver()
    expect(typesOf(receiver, held.id)).toEqual(['review.created', 'review.assigned', 'review.decided'])
    const [created, assigned, decided] = eventsOf(receiver, held.id)
    expect(created.payload).toEqual({
      ...{ id: held.id, object: 'review_item', kind: 'hold', state: 'pending', application_id: expect.stringMatching(/^app_/) },
      ...{ message_id: null, endpoint: 'chat', point: 'input', rules: ['juniper-hold'], assigned_to: null, assigned_for: null },
      ...{ classification: expect.any(String), risk_level: expect.any(String), audit_id: expect.stringMatching(/^aud_/) },
      ...{ required_approvals: 1, decided_by: null, decided_at: null },
      ...{ created_at: expect.any(String), expires_at: expect.any(String) },
      url: `${PUBLIC_URL}/dashboard/reviews/${held.id}?workspace=${(await admin.get(`/reviews/${held.id}`)).workspace_id}`,
    })
    const [documented] = blocksOf('docs/guides/notifications.md').filter(({ language }) => language === 'json')
    expect(Object.keys(JSON.parse(documented?.source ?? '').payload)).toEqual(Object.keys(created.payload))
    expect(assigned.payload).toMatchObject({ assigned_to: reviewer.operator.id })
    expect(decided.payload).toMatchObject({ state: 'approved', decided_by: expect.stringMatching(/^adm_/) })
    const { text, headers } = receiver.received.find(({ body }) => body.type === 'review.created') ?? { text: '', headers: {} }
    expect(new Webhook(webhook.secret).verify(text, headers)).toMatchObject({ type: 'review.created' })
    const all = receiver.received.map(({ text }) => text).join()
    for (const secret of [held.word, 'Please look into', 'a comment about the request']) expect(all).not.toContain(secret)
  })

  test('an escalation is announced, and a repeated identical hold is announced once', async () => {
    const { receiver } = await createWebhook({ types: ['review.created', 'review.decided'] })
    const { prompt } = await governed.sendPrompt('shown-later')
    const held = await governed.holdPrompt()
    await governed.chat(held.prompt)
    await deliver()
    expect(eventsOf(receiver).map(({ payload }) => [payload.kind, payload.rules])).toEqual([
      ['escalation', ['shown-later']],
      ['hold', ['juniper-hold']],
    ])
    const [escalation] = eventsOf(receiver)
    await admin.post(`/reviews/${escalation.payload.id}/acknowledge`, {})
    await deliver()
    expect(eventsOf(receiver, escalation.payload.id).at(-1).payload).toMatchObject({ state: 'acknowledged' })
    expect(JSON.stringify(eventsOf(receiver))).not.toContain(prompt)
  })

  test('an item is announced once when it becomes overdue, and once when it expires', async () => {
    const { receiver } = await createWebhook({ types: ['review.overdue', 'review.expired'] })
    const held = await governed.holdPrompt('short-hold')
    const [{ workspace_id }] = (await admin.get('/reviews?limit=1')).data
    await admin.patch(`/workspaces/${workspace_id}`, { settings: { review: { target_minutes: 30 } } })
    await run('announce overdue reviews')
    expect(typesOf(receiver, held.id)).toEqual([])
    clock.advance(31 * 60_000)
    await run('announce overdue reviews')
    await run('announce overdue reviews')
    expect(typesOf(receiver, held.id)).toEqual(['review.overdue'])
    clock.advance(HOUR)
    await run('erase content of expired reviews')
    await run('erase content of expired reviews')
    expect(typesOf(receiver, held.id)).toEqual(['review.overdue', 'review.expired'])
    expect(eventsOf(receiver, held.id).at(-1).payload).toMatchObject({ state: 'expired', decided_by: null })
    await admin.patch(`/workspaces/${workspace_id}`, { settings: { review: { target_minutes: null } } })
  })

  test('a publication and a roll back are announced', async () => {
    const { receiver } = await createWebhook({ types: ['policy.published'] })
    const [active] = (await admin.get('/policy-sets?limit=1')).data
    const published = await governed.publish(RULES.toReversed())
    await admin.post(`/policy-sets/${active.id}/publish`)
    // The dashboard publishes the document of the earlier version.
    const restored = await governed.publish(RULES.toReversed())
    await deliver()
    const expected = { object: 'policy_set', name: active.name, published_by: expect.stringMatching(/^adm_/) }
    expect(eventsOf(receiver).map(({ payload }) => payload)).toMatchObject(
      [published, active, restored].map(({ id, version }, index) => ({ ...expected, id, version, rolled_back: index > 0 })),
    )
  })

  test('a key is announced when it is created, soon expires, is rotated and is revoked, without a part of it', async () => {
    const { receiver } = await createWebhook({ types: ['key.created', 'key.expiring', 'key.rotated', 'key.revoked'] })
    const { id: applicationId } = await governed.application()
    const expires_at = new Date(clock.now().getTime() + 20 * DAY).toISOString()
    const key = await admin.create(`/applications/${applicationId}/keys`, { name: 'ci', expires_at })
    await run('announce expiring keys')
    clock.advance(14 * DAY)
    await run('announce expiring keys')
    await run('announce expiring keys')
    const { id: next, key: secret } = await admin.create(`/keys/${key.id}/rotate`, { overlap_seconds: 60 })
    await admin.post(`/keys/${next}/revoke`)
    await admin.post(`/keys/${next}/revoke`)
    await deliver()
    expect(typesOf(receiver, key.id)).toEqual(['key.created', 'key.expiring', 'key.rotated'])
    expect(eventsOf(receiver, key.id).at(-1).payload).toMatchObject({
      name: 'ci',
      application_id: applicationId,
      replaced_by: next,
    })
    expect(typesOf(receiver, next)).toEqual(['key.revoked'])
    const all = JSON.stringify(eventsOf(receiver))
    for (const part of [key.key, secret]) expect(all).not.toContain(part.slice(0, 7))
  })

  test('members and other Workspaces receive none of them', async () => {
    const workspace = await admin.workspace()
    const elsewhere = await startReceiver()
    open.push(elsewhere)
    const { id } = await admin.create('/webhooks', { url: elsewhere.url }, { workspace })
    const { ann, ben } = await createMembers(governed.server, ['ann', 'ben'])
    const headers = { authorization: `Bearer ${ann.token}` }
    const stream = await fetch(`${governed.server.base}/v1/events`, { headers })
    const held = await governed.holdPrompt()
    await ann.create('/conversations', { contact_id: ben.id })
    await deliver()
    let text = ''
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes('conversation.created')) break
    }
    expect(text).toContain('conversation.created')
    expect(text).not.toMatch(/review\.|rev_/)
    expect((await admin.get(`/reviews/${held.id}`)).state).toBe('pending')
    expect(eventsOf(elsewhere)).toEqual([])
    await admin.remove(`/webhooks/${id}`, { workspace })
  })
})

describe('formats of chat tools [ADM-HOOK-2]', () => {
  const INJECTED = 'Pay <!channel> [x](https://evil.example) <https://evil.example|click> @here'

  test.each(['slack', 'teams'] as const)('%s: a hold is a text with a button, and names add no links', async (format) => {
    const { receiver } = await createWebhook({ format })
    const { token } = await governed.application({ name: `${INJECTED} ${format}` })
    const held = await governed.holdPrompt('short-hold', { options: { token } })
    await deliver()
    const bodies = receiver.received.map(({ body }) => body)
    const body = bodies.find((sent) => JSON.stringify(sent).includes(held.id))
    const url = expect.stringContaining(`${PUBLIC_URL}/dashboard/reviews/${held.id}?workspace=ws_`)
    const title = `Held request from Pay ‹!channel› [x] (https[:]//evil[.]example) ‹https[:]//evil[.]example|click› [@]here ${format} needs a decision`
    const facts = expect.stringMatching(/^Rule short-hold · \w+ risk · \w+ · expires in (60 min|1 h)$/)
    if (format === 'slack') {
      expect(body.blocks).toEqual([
        { type: 'section', text: { type: 'plain_text', text: title, emoji: false } },
        { type: 'context', elements: [{ type: 'plain_text', text: facts, emoji: false }] },
        { type: 'actions', elements: [expect.objectContaining({ type: 'button', url })] },
      ])
      expect(body.text).toContain('‹!channel›')
      expect(body.text).not.toMatch(/[<>]|:\/\/evil|evil[.]example|@here/)
    } else {
      const [{ contentType, content }] = body.attachments
      expect([body.type, contentType]).toEqual(['message', 'application/vnd.microsoft.card.adaptive'])
      expect(content.body).toMatchObject([
        { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: title }] },
        { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: facts }] },
      ])
      expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open review', url }])
    }
    expect(JSON.stringify(bodies)).not.toContain(held.word)
  })

  test('messaging events are refused, and are left out when all types are chosen', async () => {
    const { receiver, webhook } = await createWebhook({ format: 'slack', types: null })
    const types = ['review.created', 'message.created']
    const refused = await admin.send('POST', '/webhooks', { url: receiver.url, format: 'teams', types })
    expect(expectError(refused, 'VALIDATION_ERROR', 'types[1]').message).toContain('choose the format standard')
    expectError(await admin.send('PATCH', `/webhooks/${webhook.id}`, { types }), 'VALIDATION_ERROR', 'types[1]')
    await admin.create('/users', { username: crypto.randomUUID() })
    await deliver()
    expect(receiver.received).toEqual([])
    expect((await admin.get(`/webhooks/${webhook.id}`)).types).toBeNull()
  })

  test('the wait that the receiver asks for is respected', async () => {
    const { receiver, webhook } = await createWebhook({ format: 'slack', types: ['policy.published'] })
    receiver.answer = { status: 429, headers: { 'retry-after': '600' } }
    await governed.publish(RULES)
    await deliver()
    const [delivery] = (await admin.get(`/webhooks/${webhook.id}/deliveries`)).data
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, last_status: 429 })
    expect(Date.parse(delivery.next_attempt_at) - clock.now().getTime()).toBeGreaterThan(9 * 60_000)
  })

  test.each(['standard', 'slack', 'teams'])('%s: the URL is shown only to operators who can change webhooks', async (format) => {
    const { receiver, webhook } = await createWebhook({ format })
    const { token } = await admin.create('/tokens', { name: 'reader', scopes: ['messaging:read'] })
    const shown = await admin.get(`/webhooks/${webhook.id}`, { token })
    expect(shown.url).toBe(`${new URL(receiver.url).origin}/…`)
    expect((await admin.get('/webhooks', { token })).data).toEqual([shown])
    expect((await admin.get(`/webhooks/${webhook.id}`)).url).toBe(receiver.url)
  })

  test('a test event reports the response, and a private address is still refused', async () => {
    const { receiver, webhook } = await createWebhook({ format: 'teams' })
    expect(await admin.post(`/webhooks/${webhook.id}/test`)).toEqual({ delivered: true, status: 204, failure: null })
    receiver.answer.status = 404
    expect(await admin.post(`/webhooks/${webhook.id}/test`)).toMatchObject({ delivered: false, status: 404 })
    expect(JSON.stringify(receiver.received[0]?.body)).toContain('Test message from Gatehouse')
    expect((await admin.get(`/webhooks/${webhook.id}/deliveries`)).data).toEqual([])
    expectError(await admin.send('POST', `/webhooks/whk_${'0'.repeat(26)}/test`), 'NOT_FOUND')
    const refused = await admin.send('POST', '/webhooks', { url: 'http://169.254.169.254/', format: 'slack' })
    expectError(refused, 'VALIDATION_ERROR', 'url')
  })
})

describe('events of providers [ADM-HOOK-1]', () => {
  const reject = (response: ServerResponse) => response.writeHead(401).end()

  test('a provider that rejects its key is announced once in 15 minutes until a request succeeds, or it gets another key', async () => {
    const { receiver } = await createWebhook({ types: ['provider.failing'] })
    const { id, model } = await governed.addProvider({ base_url: governed.provider.url, api_key: 'sk-wrong' })
    const { token } = await governed.application({ models: [model] })
    const key = word()
    const chat = async () => {
      const { status } = await governed.chat(key, { model }, { token })
      await governed.server.context.background.idle()
      await deliver()
      return status
    }
    governed.provider.on(key, reject)
    expect([await chat(), await chat()]).toEqual([502, 502])
    expect(eventsOf(receiver, id).map(({ payload }) => payload)).toEqual([
      {
        ...{ id, object: 'provider', reason: 'key_rejected', failing_since: expect.any(String) },
        url: expect.stringContaining(`${PUBLIC_URL}/dashboard/providers/${id}?workspace=`),
      },
    ])
    // A success soon after may be that of another model.
    for (const [minutes, announced] of [[0, 1] as const, [15, 2] as const]) {
      clock.advance(minutes * 60_000)
      governed.provider.on(key, says('Hello.'))
      expect(await chat()).toBe(200)
      governed.provider.on(key, reject)
      expect([await chat(), await chat()]).toEqual([502, 502])
      expect(eventsOf(receiver, id)).toHaveLength(announced)
    }
    await admin.patch(`/providers/${id}`, { api_key: 'sk-wrong-too' })
    await chat()
    expect(eventsOf(receiver, id)).toHaveLength(3)
  })
})
