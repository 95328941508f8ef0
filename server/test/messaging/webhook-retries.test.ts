import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { startWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const fixture = await startWebhookFixture()
afterEach(() => fixture.deleteWebhooks())
afterAll(() => fixture.server.close())

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
