import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { startWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const fixture = await startWebhookFixture()
afterEach(() => fixture.deleteWebhooks())
afterAll(() => fixture.server.close())

test('webhooks: delivery is repeated with the same id until it succeeds when an attempt fails', async () => {
  const { receiver, until } = await fixture.createWebhook()
  receiver.answer.status = 503
  await fixture.say()
  await until({ state: 'pending', attempts: 1, last_status: 503, last_failure: 'The receiver responded with status 503.' })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(receiver.received).toHaveLength(1)
  fixture.clock.advance(5_000)
  await until({ state: 'pending', attempts: 2 })
  receiver.answer.status = 200
  fixture.clock.advance(30_000)
  await until({ state: 'delivered', attempts: 3, last_status: 200, last_failure: null })
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  expect((times.at(-1) as number) - (times[0] as number)).toBeGreaterThanOrEqual(35)
})

describe('dead deliveries', () => {
  /** Lets a delivery fail until it is dead; returns the duration in milliseconds. */
  async function die({ receiver, deliveries, until }: Awaited<ReturnType<WebhookFixture['createWebhook']>>): Promise<number> {
    receiver.answer.status = 500
    await fixture.say()
    await until({ attempts: 1 })
    let waited = 0
    for (let [delivery] = await deliveries(); delivery.state === 'pending'; [delivery] = await deliveries()) {
      const wait = Date.parse(delivery.next_attempt_at) - fixture.clock.now().getTime() + 1
      fixture.clock.advance(wait)
      waited += wait
      await until({ attempts: delivery.attempts + 1 })
    }
    receiver.answer.status = 204
    return waited
  }

  test('webhooks: delivery is dead after three days and is sent again when an operator replays it', async () => {
    const hook = await fixture.createWebhook()
    const waited = await die(hook)
    expect(waited).toBeGreaterThan(48 * 3_600_000)
    expect(waited).toBeLessThanOrEqual(72 * 3_600_000)
    const [dead] = await hook.deliveries('?state=dead')
    expect(dead).toMatchObject({ state: 'dead', last_status: 500, next_attempt_at: null, ended_at: expect.any(String) })
    expect(await hook.deliveries('?state=delivered')).toEqual([])
    expect(await fixture.admin.post(`${hook.path}/deliveries/${dead.id}/replay`)).toMatchObject({
      id: dead.id,
      state: 'pending',
      attempts: 0,
    })
    expect((await fixture.admin.records(1))[0].change).toMatchObject({ action: 'webhook_delivery.replay', object_id: dead.id })
    await hook.until({ id: dead.id, state: 'delivered', attempts: 1 })
    expect(hook.receiver.received.at(-1)?.headers['webhook-id']).toBe(dead.id)
    // A delivered one can be replayed as well.
    const before = hook.receiver.received.length
    await fixture.admin.post(`${hook.path}/deliveries/${dead.id}/replay`)
    await hook.until({ id: dead.id, state: 'delivered' })
    await expect.poll(() => hook.receiver.received.length).toBe(before + 1)
  })

  test('webhooks: all dead deliveries are sent again when an operator replays the webhook', async () => {
    const hook = await fixture.createWebhook()
    await die(hook)
    await die(hook)
    expect(await hook.deliveries('?state=dead')).toHaveLength(2)
    expect(await fixture.admin.post(`${hook.path}/replay`)).toEqual({ replayed: 2 })
    await expect.poll(async () => (await hook.deliveries('?state=delivered')).length).toBe(2)
  })
})

test('webhooks: delivery is dead at once when the receiver responds with 410', async () => {
  const { receiver, until } = await fixture.createWebhook()
  receiver.answer.status = 410
  await fixture.say()
  await until({ state: 'dead', attempts: 1, last_status: 410 })
})

test('webhooks: attempt fails without following the redirect when the receiver redirects', async () => {
  const [first, second] = [await fixture.createWebhook(), await fixture.createWebhook({ types: ['group.created'] })]
  first.receiver.answer = { status: 307, headers: { location: second.receiver.url } }
  await fixture.say()
  await first.until({
    state: 'pending',
    last_status: 307,
    last_failure: 'The receiver responded with a redirect, which is not followed. Change the URL of the webhook.',
  })
  expect(second.receiver.received).toEqual([])
})
