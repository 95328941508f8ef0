import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { contentOf, type Gateway, gatewayClient } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startTcpRelay } from '../support/tcp-relay.ts'

const url = postgresUrl()
/** The bars are 2 and 3 s; a busy machine is slower. Without the remedies it takes 30 s or more. */
const SLOW_MS = 8_000

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('node whose connection to the database is faulty', { timeout: 240_000 }, () => {
  let governed: Governed
  let second: TestServer
  let other: Gateway
  let relay: Awaited<ReturnType<typeof startTcpRelay>>
  const cleanups: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    const database = await createOwnDatabase(url ?? '')
    const { hostname, port } = new URL(database.url)
    relay = await startTcpRelay({ host: hostname, port: Number(port) })
    const through = new URL(database.url)
    through.host = `127.0.0.1:${relay.port}`
    const env = { GATEHOUSE_SECRET_KEY: 'x'.repeat(32) }
    governed = await startGoverned({ ...env, DATABASE_URL: database.url })
    const openai = { OPENAI_API_KEY: 'sk-scripted', OPENAI_BASE_URL: governed.provider.url, OPENAI_MODELS: 'scripted' }
    const folder = { GATEHOUSE_DATA: governed.server.config.dataDir }
    second = await startServer({ ...env, ...openai, ...folder, DATABASE_URL: through.href })
    other = gatewayClient(second)
    cleanups.push(database.drop, relay.close, governed.close, second.close)
  })
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
  })

  test('lost notification: a waiting request learns of the decision within seconds [GW-REV-16]', async () => {
    const held = await governed.holdPrompt()
    relay.dropNotifications()
    const waiting = other.chat(held.prompt, { governance: { review_item_id: held.id, wait_for_approval_seconds: 60 } })
    while (second.context.waiters.size === 0) await sleep(20)
    const decidedAt = performance.now()
    await governed.decide(held.id, 'approve')
    expect(contentOf(await waiting)).toBe(held.answer)
    expect(performance.now() - decidedAt).toBeLessThan(SLOW_MS)
  })

  test('black hole: the other node responds within seconds when one node loses its database in mid-transaction', async () => {
    let running = true
    const load = Array.from({ length: 4 }, async () => {
      while (running) await other.chat('Good morning')
    })
    await sleep(500)
    relay.silence()
    const times: number[] = []
    for (let i = 0; i < 6; i++) {
      const startedAt = performance.now()
      const { response } = await governed.sendPrompt()
      expect(response.status).toBe(200)
      times.push(performance.now() - startedAt)
    }
    running = false
    relay.restore()
    await Promise.all(load)
    expect(Math.max(...times)).toBeLessThan(SLOW_MS)
  })
})
