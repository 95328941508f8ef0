import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { GOVERNANCE_EVENT_TYPES } from '../../src/shared/governance-event.ts'
import { expectError, type Json } from '../admin/client.ts'
import { startWebhookFixture } from '../support/webhook-fixture.ts'
import { createMembers } from './client.ts'

const fixture = await startWebhookFixture()
afterEach(() => fixture.deleteWebhooks())
afterAll(() => fixture.server.close())

test('traceparent: delivery has the header of the request that caused its event, and none when that request had none', async () => {
  const { receiver, until } = await fixture.createWebhook()
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const message = { conversation_id: fixture.chat.id, message: crypto.randomUUID() }
  const traced = await fixture.ann.create('/messages', message, { headers: { traceparent, tracestate: 'vendor=abc' } })
  const plain = await fixture.say()
  await until({ state: 'delivered' })
  await expect.poll(() => receiver.received.length).toBe(2)
  const headersOf = ({ id }: Json) => receiver.received.find(({ body }) => body.payload.id === id)?.headers
  expect(headersOf(traced)).toMatchObject({ traceparent })
  expect(headersOf(traced)).not.toHaveProperty('tracestate')
  expect(headersOf(plain)).not.toHaveProperty('traceparent')
})

test('webhooks: a webhook that is created without types gets the events of governance, and no messages [ADM-HOOK-1]', async () => {
  const { receiver, webhook, until } = await fixture.createWebhook({ types: undefined })
  expect(webhook.types).toEqual(GOVERNANCE_EVENT_TYPES)
  await fixture.say()
  const { id } = await fixture.admin.create('/applications', { name: crypto.randomUUID() })
  await fixture.admin.create(`/applications/${id}/keys`, { name: 'announced' })
  await fixture.server.context.relay.run()
  await until({ state: 'delivered' })
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['key.created'])
})

test('webhooks: secret is encrypted in the database, and no record or log contains the secret or the URL', async () => {
  const { receiver, webhook } = await fixture.createWebhook()
  const { rows } = await fixture.server.context.database.pool.query<{ row: string }>('select webhook::text as row from webhook')
  expect(rows.some(({ row }) => row.includes(Buffer.from(webhook.secret).toString('hex')))).toBe(false)
  const [record] = await fixture.admin.records(1)
  expect(record.change).toMatchObject({ action: 'webhook.create', object_id: webhook.id, fields: ['url', 'types'] })
  const written = JSON.stringify(record) + fixture.server.logs()
  expect(written).not.toContain(webhook.secret.slice(6, 20))
  expect(written).not.toContain(receiver.url)
})

test('webhooks: only events of the chosen types are delivered', async () => {
  const { receiver, until } = await fixture.createWebhook({ types: ['message.deleted'] })
  const { id } = await fixture.say()
  await fixture.ann.remove(`/messages/${id}`)
  await until({ type: 'message.deleted', state: 'delivered' })
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['message.deleted'])
})

test('webhooks: events are not delivered when they happen while the webhook is disabled', async () => {
  const { receiver, path, until } = await fixture.createWebhook()
  expect(await fixture.admin.patch(path, { enabled: false })).toMatchObject({ enabled: false, types: ['message.created'] })
  await fixture.say('meanwhile')
  await fixture.server.context.relay.run()
  expect(await fixture.admin.patch(path, { enabled: true })).toMatchObject({ enabled: true })
  await fixture.say('now')
  await until({ state: 'delivered' })
  expect(receiver.received.map(({ body }) => body.payload.message)).toEqual(['now'])
})

test('webhooks: delivery is not delayed when another receiver does not respond', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { id } = await fixture.admin.create('/webhooks', {
    url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
    types: ['message.created'],
  })
  const { until } = await fixture.createWebhook()
  for (let i = 0; i < 20; i++) await fixture.say()
  await until({ state: 'delivered' })
  await fixture.admin.remove(`/webhooks/${id}`)
  silent.closeAllConnections()
  silent.close()
})

test('webhooks: pending delivery is removed when its message is deleted', async () => {
  const { receiver, until, deliveries } = await fixture.createWebhook()
  receiver.answer.status = 500
  const { id } = await fixture.say()
  await until({ state: 'pending', attempts: 1 })
  await fixture.ann.remove(`/messages/${id}`)
  expect(await deliveries()).toEqual([])
})

test('webhooks: events and webhooks of another Workspace are not visible', async () => {
  const { path, receiver } = await fixture.createWebhook({})
  const elsewhere = { workspace: await fixture.admin.workspace() }
  for (const [method, at, body] of [
    ['GET', path, undefined],
    ['PATCH', path, { enabled: false }],
    ['DELETE', path, undefined],
    ['GET', `${path}/deliveries`, undefined],
    ['POST', `${path}/replay`, undefined],
    ['POST', `${path}/deliveries/dlv_${'0'.repeat(26)}/replay`, undefined],
  ] as const) {
    expectError(await fixture.admin.send(method, at, body, elsewhere), 'NOT_FOUND')
  }
  expect((await fixture.admin.get('/webhooks', elsewhere)).data).toEqual([])
  const { dora, emil } = await createMembers(fixture.server, ['dora', 'emil'], elsewhere.workspace)
  await dora.create('/conversations', { contact_id: emil.id })
  await fixture.server.context.relay.run()
  await fixture.server.context.webhooks.idle()
  expect(receiver.received).toEqual([])
})

test('webhooks: deliveries are listed in pages, newest first', async () => {
  const { path, until, deliveries } = await fixture.createWebhook()
  for (let i = 0; i < 3; i++) await fixture.say()
  await until({ state: 'delivered' })
  await expect.poll(async () => (await deliveries()).length).toBe(3)
  const all = (await deliveries()).map(({ id }) => id)
  expect(all).toEqual([...all].sort().reverse())
  const first = await fixture.admin.get(`${path}/deliveries?limit=2`)
  const second = await fixture.admin.get(`${path}/deliveries?limit=2&cursor=${first.next_cursor}`)
  expect([...first.data, ...second.data].map(({ id }: Json) => id)).toEqual(all)
  expect(second.has_more).toBe(false)
})

describe('invalid webhooks', () => {
  test.each([
    ['url', { url: 'ftp://example.com' }],
    ['url', { url: 'https://user:word@example.com' }],
    ['url', { url: 'http://169.254.169.254/latest' }],
    ['url', { url: 'example.com' }],
    ['url', { types: null }],
    ['types[0]', { url: 'https://example.com', types: ['message.sent'] }],
    ['types', { url: 'https://example.com', types: [] }],
    ['enabled', { url: 'https://example.com', enabled: 'yes' }],
  ])('webhooks: request gets 400 that names %s when the body is %j', async (param, body) => {
    expectError(await fixture.admin.send('POST', '/webhooks', body), 'VALIDATION_ERROR', param)
  })
})
