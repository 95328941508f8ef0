import { expect } from 'vitest'
import { type Admin, adminClient, type Json } from '../admin/client.ts'
import { createMembers, unlimitedRate } from '../messaging/client.ts'
import { adjustableClock } from './adjustable-clock.ts'
import { startLoopback } from './loopback.ts'
import { startServer, type TestServer } from './server.ts'

interface Received {
  readonly headers: Record<string, string>
  readonly text: string
  readonly body: Json
}

/** Starts an HTTP server that records deliveries; `answer` can be changed. */
export async function startReceiver() {
  const received: Received[] = []
  const receiver = { received, answer: { status: 204, headers: {} as Record<string, string> }, url: '', close: async () => {} }
  const { url, close } = await startLoopback((request, response, bytes) => {
    const text = bytes.toString()
    received.push({ headers: request.headers as Record<string, string>, text, body: JSON.parse(text) })
    response.writeHead(receiver.answer.status, receiver.answer.headers).end()
  })
  return Object.assign(receiver, { url: `${url}/in?from=gatehouse`, close })
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Starts a server with a conversation of Ann and Ben, and returns functions that create webhooks with receivers. */
export async function startWebhookFixture() {
  const clock = adjustableClock()
  const limits = { userRateLimiter: unlimitedRate(), clock, random: () => 0.5 }
  const server = await startServer({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' }, limits)
  const admin = adminClient(server)
  const { ann, ben } = await createMembers(server, ['ann', 'ben'])
  const chat = await ann.create('/conversations', { contact_id: ben.id })
  const webhooks: { receiver: Receiver; id: string }[] = []
  return {
    clock,
    server,
    admin,
    ann,
    chat,
    say: (message: string = crypto.randomUUID()): Promise<Json> => ann.create('/messages', { conversation_id: chat.id, message }),
    createWebhook: async (fields: object = { types: ['message.created'] }) => {
      const receiver = await startReceiver()
      // Earlier events are not delivered to it.
      await server.context.relay.run()
      const webhook = await admin.create('/webhooks', { url: receiver.url, types: null, ...fields })
      webhooks.push({ receiver, id: webhook.id })
      return { receiver, webhook, ...deliverySteps(server, admin, `/webhooks/${webhook.id}`) }
    },
    deleteWebhooks: async () => {
      for (const { receiver, id } of webhooks.splice(0)) {
        await receiver.close()
        await admin.send('DELETE', `/webhooks/${id}`)
      }
    },
  }
}

export type WebhookFixture = Awaited<ReturnType<typeof startWebhookFixture>>

function deliverySteps({ context }: TestServer, admin: Admin, path: string) {
  const deliveries = async (query = ''): Promise<Json[]> => (await admin.get(`${path}/deliveries${query}`)).data
  return {
    path,
    deliveries,
    /** Waits until the newest delivery is as expected. */
    until: (expected: object): Promise<void> =>
      expect
        .poll(
          async () => {
            context.webhooks.wake()
            return (await deliveries())[0]
          },
          { timeout: 20_000, interval: 50 },
        )
        .toMatchObject(expected),
  }
}
