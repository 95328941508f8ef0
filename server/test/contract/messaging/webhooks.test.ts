import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startReceiver } from '../../support/webhook-fixture.ts'
import { clock, messenger } from './shared-messenger.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** Creates a webhook and its receiver. A test may change the status and headers of `receiverResponse`. */
async function webhook(fields: object = { types: ['message.created'] }) {
  const receiver = await startReceiver()
  const { id, secret } = await messenger.operator.create('/webhooks', { url: receiver.url, types: null, ...fields })
  open.push(async () => {
    await messenger.operator.remove(`/webhooks/${id}`)
    receiver.close()
  })
  const path = `/webhooks/${id}`
  /** The newest delivery of the webhook. */
  const newest = async () => (await messenger.operator.get(`${path}/deliveries`)).data[0]
  const awaitDelivery = (expected: object) =>
    vi.waitFor(async () => expect(await newest()).toMatchObject(expected), { timeout: 20_000 })
  const advance = (ms: number): void => {
    clock.advance(ms)
    messenger.server.context.webhooks.wake()
  }
  return { ...receiver, receiverResponse: receiver.answer, secret: String(secret), path, newest, awaitDelivery, advance }
}

describe('webhooks', () => {
  test('delivery: Standard Webhooks headers, signature over the body, body {id,type,timestamp,payload} [MSG-HOOK-1]', async () => {
    const { received, secret, awaitDelivery } = await webhook()
    const { id } = await messenger.say(await messenger.direct(), 'to the hook')
    await awaitDelivery({ state: 'delivered', attempts: 1 })
    expect(received).toHaveLength(1)
    const [{ headers, text }] = received as [(typeof received)[number]]
    const body = JSON.parse(text)
    expect(Object.keys(body)).toEqual(['id', 'type', 'timestamp', 'payload'])
    expect(body).toMatchObject({ type: 'message.created', payload: { id, message: 'to the hook' } })
    expect(headers['webhook-id']).toBe(body.id)
    expect(Number.isNaN(Date.parse(body.timestamp))).toBe(false)
    const signed = { ...(headers as Record<string, string>) }
    // The library reads the machine's clock, and the test's clock is ahead of it.
    const now = Math.floor(Date.now() / 1_000)
    expect(Math.abs(Number(headers['webhook-timestamp']) - clock.now().getTime() / 1_000)).toBeLessThan(60)
    const expected = new Webhook(secret).sign(body.id, new Date(Number(headers['webhook-timestamp']) * 1_000), text)
    expect(headers['webhook-signature']).toBe(expected)
    const fresh = { ...signed, 'webhook-timestamp': String(now), 'webhook-signature': headers['webhook-signature'] as string }
    expect(() => new Webhook(secret).verify(text.replace('hook', 'hoax'), fresh)).toThrow()
  })
  test('delivery: retried under the same id until it succeeds [MSG-HOOK-2]', async () => {
    const { received, receiverResponse, awaitDelivery, advance } = await webhook()
    receiverResponse.status = 500
    await messenger.say(await messenger.direct())
    await awaitDelivery({ state: 'pending', attempts: 1, last_status: 500 })
    advance(60_000)
    await awaitDelivery({ state: 'pending', attempts: 2 })
    receiverResponse.status = 200
    advance(600_000)
    await awaitDelivery({ state: 'delivered', attempts: 3 })
    expect(received).toHaveLength(3)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(received.map(({ text }) => text)).size).toBe(1)
  })
  test('delivery: fails after 3 days, is then listed and can be sent again [MSG-HOOK-2, MSG-HOOK-3]', async () => {
    const { received, receiverResponse, awaitDelivery, advance, path } = await webhook()
    receiverResponse.status = 503
    await messenger.say(await messenger.direct())
    await awaitDelivery({ state: 'pending', attempts: 1 })
    for (
      let attempts = 1, hours = 0;
      hours < 96 && (await messenger.operator.get(`${path}/deliveries?state=dead`)).data.length === 0;
      hours += 13
    ) {
      advance(13 * 3_600_000)
      await vi.waitFor(async () => {
        const { data } = await messenger.operator.get(`${path}/deliveries`)
        expect(data[0].attempts > attempts || data[0].state === 'dead').toBe(true)
        attempts = data[0].attempts
      }, 20_000)
    }
    const { data } = await messenger.operator.get(`${path}/deliveries?state=dead`)
    expect(data).toHaveLength(1)
    receiverResponse.status = 200
    const attempts = received.length
    await messenger.operator.post(`${path}/deliveries/${data[0].id}/replay`)
    await awaitDelivery({ state: 'delivered' })
    expect(received).toHaveLength(attempts + 1)
  })
  test('delivery: redirects are refused', async () => {
    const { received, receiverResponse, awaitDelivery } = await webhook()
    Object.assign(receiverResponse, { status: 302, headers: { location: `${messenger.base}/healthz` } })
    await messenger.say(await messenger.direct())
    await awaitDelivery({ state: 'pending', attempts: 1, last_status: 302 })
    expect(received).toHaveLength(1)
  })
  test('delivery: none for a refused write', async () => {
    const { received, awaitDelivery } = await webhook()
    const id = await messenger.direct()
    await messenger.ann.send('POST', '/messages', { conversation_id: id, message: 'rowan-deny' })
    const sent = await messenger.say(id, 'allowed')
    await awaitDelivery({ state: 'delivered' })
    expect(received.map(({ text }) => JSON.parse(text).payload.id)).toEqual([sent.id])
  })
})
