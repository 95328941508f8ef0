import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebhookSender } from '../../src/messaging/events/webhook-sender.ts'
import { type Admin, adminClient, type Json, refused } from '../admin/client.ts'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { createMembers, type Member, unlimitedRate } from './client.ts'

interface Received {
  readonly headers: Record<string, string>
  readonly text: string
  readonly body: Json
}

/** Listens as a receiver does; `answer` may be set anew. */
async function startReceiver() {
  const received: Received[] = []
  const receiver = { received, answer: { status: 204, headers: {} as Record<string, string> }, url: '', close: () => {} }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, text, body: JSON.parse(text) })
      response.writeHead(receiver.answer.status, receiver.answer.headers).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?from=gatehouse`
  receiver.close = () => {
    server.closeAllConnections()
    server.close()
  }
  return receiver
}
type Receiver = Awaited<ReturnType<typeof startReceiver>>

const clock = adjustableClock()
let server: TestServer
let admin: Admin
let ann: Member
let chat: Json
const open: { receiver: Receiver; id: string }[] = []
beforeAll(async () => {
  server = await startServer(
    { GATEHOUSE_ALLOW_PRIVATE_URLS: '1' },
    { userRateLimiter: unlimitedRate(), clock, random: () => 0.5 },
  )
  admin = adminClient(server)
  const { ann: one, ben } = await createMembers(server, ['ann', 'ben'])
  ann = one
  chat = await ann.create('/conversations', { contact_id: ben.id })
})
afterEach(async () => {
  for (const { receiver, id } of open.splice(0)) {
    receiver.close()
    await admin.send('DELETE', `/webhooks/${id}`)
  }
})
afterAll(() => server.close())

const say = (message: string = crypto.randomUUID()): Promise<Json> =>
  ann.create('/messages', { conversation_id: chat.id, message })

/** A webhook with somebody at its other end. */
async function start(fields: object = { types: ['message.created'] }) {
  const receiver = await startReceiver()
  const webhook = await admin.create('/webhooks', { url: receiver.url, ...fields })
  open.push({ receiver, id: webhook.id })
  const path = `/webhooks/${webhook.id}`
  const deliveries = async (query = ''): Promise<Json[]> => (await admin.get(`${path}/deliveries${query}`)).data
  return {
    receiver,
    webhook,
    path,
    deliveries,
    /** The newest delivery, once it is as expected. */
    until: (expected: object): Promise<void> =>
      expect
        .poll(
          async () => {
            server.context.webhooks.wake()
            return (await deliveries())[0]
          },
          { timeout: 10_000, interval: 50 },
        )
        .toMatchObject(expected),
  }
}

test('traceparent: delivery has the header of the request that caused its event, and none when that request had none', async () => {
  const { receiver, until } = await start()
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const message = { conversation_id: chat.id, message: crypto.randomUUID() }
  const traced = await ann.create('/messages', message, { headers: { traceparent, tracestate: 'vendor=abc' } })
  const plain = await say()
  await until({ state: 'delivered' })
  await expect.poll(() => receiver.received.length).toBe(2)
  const headersOf = ({ id }: Json) => receiver.received.find(({ body }) => body.payload.id === id)?.headers
  expect(headersOf(traced)).toMatchObject({ traceparent })
  expect(headersOf(traced)).not.toHaveProperty('tracestate')
  expect(headersOf(plain)).not.toHaveProperty('traceparent')
})

test('webhooks: event is delivered in the Standard Webhooks format and signed with the secret of the creation response', async () => {
  const { receiver, webhook, until, path } = await start({})
  expect(webhook).toMatchObject({ object: 'webhook', types: null, enabled: true, secret: expect.stringMatching(/^whsec_/) })
  const sent = await say('Grüße "an" alle')
  await until({
    type: 'message.created',
    state: 'delivered',
    attempts: 1,
    last_status: 204,
    last_failure: null,
    next_attempt_at: null,
  })
  const [{ headers, text, body } = { headers: {}, text: '', body: {} }] = receiver.received
  expect(new Webhook(webhook.secret).verify(text, headers)).toEqual(body)
  expect(Object.keys(body)).toEqual(['id', 'type', 'timestamp', 'payload'])
  expect(body).toMatchObject({ id: headers['webhook-id'], type: 'message.created' })
  expect(body.payload).toMatchObject({ id: sent.id, conversation_id: chat.id, message: 'Grüße "an" alle' })
  expect(Math.abs(Date.parse(body.timestamp) - Date.now())).toBeLessThan(60_000)
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'gatehouse' })
  expect(() => new Webhook(`whsec_${btoa('another')}`).verify(text, headers)).toThrow()
  const { secret: _, ...shown } = webhook
  expect(await admin.get(path)).toEqual(shown)
  expect((await admin.get('/webhooks')).data).toContainEqual(shown)
})

test('webhooks: secret is encrypted in the database, and no record or log contains the secret or the URL', async () => {
  const { receiver, webhook } = await start()
  const { rows } = await server.context.database.pool.query<{ row: string }>('select webhook::text as row from webhook')
  expect(rows.some(({ row }) => row.includes(Buffer.from(webhook.secret).toString('hex')))).toBe(false)
  const [record] = await admin.records(1)
  expect(record.change).toMatchObject({ action: 'webhook.create', object_id: webhook.id, fields: ['url', 'types'] })
  const written = JSON.stringify(record) + server.logs()
  expect(written).not.toContain(webhook.secret.slice(6, 20))
  expect(written).not.toContain(receiver.url)
})

test('webhooks: only events of the chosen types are delivered', async () => {
  const { receiver, until } = await start({ types: ['message.deleted'] })
  const { id } = await say()
  await ann.remove(`/messages/${id}`)
  await until({ type: 'message.deleted', state: 'delivered' })
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['message.deleted'])
})

test('webhooks: delivery is repeated with the same id until it succeeds when an attempt fails', async () => {
  const { receiver, until } = await start()
  receiver.answer.status = 503
  await say()
  await until({ state: 'pending', attempts: 1, last_status: 503, last_failure: 'The receiver responded with status 503.' })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(receiver.received).toHaveLength(1)
  clock.advance(5_000)
  await until({ state: 'pending', attempts: 2 })
  receiver.answer.status = 200
  clock.advance(30_000)
  await until({ state: 'delivered', attempts: 3, last_status: 200, last_failure: null })
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  expect((times.at(-1) as number) - (times[0] as number)).toBeGreaterThanOrEqual(35)
})

describe('dead deliveries', () => {
  /** Fails until it is dead; answers how long that took. */
  async function die({ receiver, deliveries, until }: Awaited<ReturnType<typeof start>>): Promise<number> {
    receiver.answer.status = 500
    await say()
    await until({ attempts: 1 })
    let waited = 0
    for (let [delivery] = await deliveries(); delivery.state === 'pending'; [delivery] = await deliveries()) {
      const wait = Date.parse(delivery.next_attempt_at) - clock.now().getTime() + 1
      clock.advance(wait)
      waited += wait
      await until({ attempts: delivery.attempts + 1 })
    }
    receiver.answer.status = 204
    return waited
  }

  test('webhooks: delivery is dead after three days and is sent again when an operator replays it', async () => {
    const hook = await start()
    const waited = await die(hook)
    expect(waited).toBeGreaterThan(48 * 3_600_000)
    expect(waited).toBeLessThanOrEqual(72 * 3_600_000)
    const [dead] = await hook.deliveries('?state=dead')
    expect(dead).toMatchObject({ state: 'dead', last_status: 500, next_attempt_at: null, ended_at: expect.any(String) })
    expect(await hook.deliveries('?state=delivered')).toEqual([])
    expect(await admin.post(`${hook.path}/deliveries/${dead.id}/replay`)).toMatchObject({
      id: dead.id,
      state: 'pending',
      attempts: 0,
    })
    expect((await admin.records(1))[0].change).toMatchObject({ action: 'webhook_delivery.replay', object_id: dead.id })
    await hook.until({ id: dead.id, state: 'delivered', attempts: 1 })
    expect(hook.receiver.received.at(-1)?.headers['webhook-id']).toBe(dead.id)
    // A delivered one, too.
    const before = hook.receiver.received.length
    await admin.post(`${hook.path}/deliveries/${dead.id}/replay`)
    await hook.until({ id: dead.id, state: 'delivered' })
    await expect.poll(() => hook.receiver.received.length).toBe(before + 1)
  })

  test('webhooks: all dead deliveries are sent again when an operator replays the webhook', async () => {
    const hook = await start()
    await die(hook)
    await die(hook)
    expect(await hook.deliveries('?state=dead')).toHaveLength(2)
    expect(await admin.post(`${hook.path}/replay`)).toEqual({ replayed: 2 })
    await expect.poll(async () => (await hook.deliveries('?state=delivered')).length).toBe(2)
  })
})

test('webhooks: delivery is dead at once when the receiver responds with 410', async () => {
  const { receiver, until } = await start()
  receiver.answer.status = 410
  await say()
  await until({ state: 'dead', attempts: 1, last_status: 410 })
})

test('webhooks: attempt fails without following the redirect when the receiver redirects', async () => {
  const [first, second] = [await start(), await start({ types: ['group.created'] })]
  first.receiver.answer = { status: 307, headers: { location: second.receiver.url } }
  await say()
  await first.until({
    state: 'pending',
    last_status: 307,
    last_failure: 'The receiver responded with a redirect, which is not followed. Change the URL of the webhook.',
  })
  expect(second.receiver.received).toEqual([])
})

test('webhooks: events are not delivered when they happen while the webhook is disabled', async () => {
  const { receiver, path, until } = await start()
  expect(await admin.patch(path, { enabled: false })).toMatchObject({ enabled: false, types: ['message.created'] })
  await say('meanwhile')
  await server.context.relay.run()
  expect(await admin.patch(path, { enabled: true })).toMatchObject({ enabled: true })
  await say('now')
  await until({ state: 'delivered' })
  expect(receiver.received.map(({ body }) => body.payload.message)).toEqual(['now'])
})

test('webhooks: delivery is not delayed when another receiver does not respond', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { id } = await admin.create('/webhooks', {
    url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
    types: ['message.created'],
  })
  const { until } = await start()
  for (let i = 0; i < 20; i++) await say()
  await until({ state: 'delivered' })
  await admin.remove(`/webhooks/${id}`)
  silent.closeAllConnections()
  silent.close()
})

test('webhooks: pending delivery is removed when its message is deleted', async () => {
  const { receiver, until, deliveries } = await start()
  receiver.answer.status = 500
  const { id } = await say()
  await until({ state: 'pending', attempts: 1 })
  await ann.remove(`/messages/${id}`)
  expect(await deliveries()).toEqual([])
})

test('webhooks: events and webhooks of another Workspace are not visible', async () => {
  const { path, receiver } = await start({})
  const elsewhere = { workspace: await admin.workspace() }
  for (const [method, at, body] of [
    ['GET', path, undefined],
    ['PATCH', path, { enabled: false }],
    ['DELETE', path, undefined],
    ['GET', `${path}/deliveries`, undefined],
    ['POST', `${path}/replay`, undefined],
    ['POST', `${path}/deliveries/dlv_${'0'.repeat(26)}/replay`, undefined],
  ] as const) {
    refused(await admin.send(method, at, body, elsewhere), 'NOT_FOUND')
  }
  expect((await admin.get('/webhooks', elsewhere)).data).toEqual([])
  const { dora, emil } = await createMembers(server, ['dora', 'emil'], elsewhere.workspace)
  await dora.create('/conversations', { contact_id: emil.id })
  await server.context.relay.run()
  await server.context.webhooks.idle()
  expect(receiver.received).toEqual([])
})

test('webhooks: deliveries are listed in pages, newest first', async () => {
  const { path, until, deliveries } = await start()
  for (let i = 0; i < 3; i++) await say()
  await until({ state: 'delivered' })
  await expect.poll(async () => (await deliveries()).length).toBe(3)
  const all = (await deliveries()).map(({ id }) => id)
  expect(all).toEqual([...all].sort().reverse())
  const first = await admin.get(`${path}/deliveries?limit=2`)
  const second = await admin.get(`${path}/deliveries?limit=2&cursor=${first.next_cursor}`)
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
    refused(await admin.send('POST', '/webhooks', body), 'VALIDATION_ERROR', param)
  })
})

test('webhooks: private address is refused when private URLs are not allowed', async () => {
  const strict = await startServer({}, { userRateLimiter: unlimitedRate() })
  try {
    const there = adminClient(strict)
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '[::1]', '0x7f.1', '169.254.169.254']) {
      refused(await there.send('POST', '/webhooks', { url: `http://${host}/` }), 'VALIDATION_ERROR', 'url')
    }
    const { id } = await there.create('/webhooks', { url: 'https://example.com/in' })
    refused(await there.send('PATCH', `/webhooks/${id}`, { url: 'http://192.168.0.1/' }), 'VALIDATION_ERROR', 'url')
  } finally {
    await strict.close()
  }
  const receiver = await startReceiver()
  const inside = [{ address: '127.0.0.1', family: 4 }]
  const sender = new WebhookSender({
    allowPrivateUrls: false,
    lookup: (_name, options, done) => (options.all ? done(null, inside) : done(null, '127.0.0.1', 4)),
  })
  const url = receiver.url.replace('127.0.0.1', 'receiver.example.com')
  const delivery = {
    uuid: '',
    id: 'dlv_1',
    url,
    secret: `whsec_${btoa('secret')}`,
    type: 'message.created',
    payload: '{}',
    attempts: 0,
    traceparent: null,
  }
  const sent = await sender.send({ ...delivery, happenedAt: new Date(), giveUpAt: new Date() }, new Date())
  expect(sent).toEqual({ status: null, failure: 'The URL leads to an address that is not public.' })
  expect(receiver.received).toEqual([])
  await sender.close()
  receiver.close()
})
