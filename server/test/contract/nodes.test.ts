import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { contentOf, expectError, expectSuccess, type Gateway, gatewayClient } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { word } from '../support/scripted-provider.ts'
import { startServer, type TestServer } from '../support/server.ts'

const url = postgresUrl()
const WAIT = { timeout: 20_000, interval: 50 }

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('two nodes on one PostgreSQL', () => {
  let governed: Governed
  let second: TestServer
  let other: Gateway
  let database: Awaited<ReturnType<typeof createOwnDatabase>>
  beforeAll(async () => {
    database = await createOwnDatabase(url ?? '')
    const env = { DATABASE_URL: database.url, GATEHOUSE_SECRET_KEY: 'x'.repeat(32) }
    governed = await startGoverned(env)
    const openai = { OPENAI_API_KEY: 'sk-scripted', OPENAI_BASE_URL: governed.provider.url, OPENAI_MODELS: 'scripted' }
    second = await startServer({ ...env, ...openai, GATEHOUSE_DATA: governed.server.config.dataDir })
    other = gatewayClient(second)
  })
  afterAll(async () => {
    await second.close()
    await governed.close()
    await database.drop()
  })

  test('reviews: a decision on one node ends the wait on the other [GW-REV-16]', async () => {
    const held = await governed.holdPrompt()
    const startedAt = performance.now()
    const waiting = other.chat(held.prompt, { governance: { review_item_id: held.id, wait_for_approval_seconds: 30 } })
    await sleep(200)
    await governed.decide(held.id, 'approve')
    expect(contentOf(await waiting)).toBe(held.answer)
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })
  test('holds: concurrent resubmissions to both nodes call the provider once and get the same completion [GW-REV-13]', async () => {
    const held = await governed.holdPrompt()
    await governed.decide(held.id, 'approve')
    const again = { governance: { review_item_id: held.id } }
    const responses = await Promise.all([0, 1, 2, 3].map((i) => (i % 2 ? governed : other).chat(held.prompt, again)))
    for (const response of responses) expect(contentOf(response)).toBe(held.answer)
    expect(governed.countProviderCalls(held)).toBe(1)
  })
  test('holds: identical concurrent requests to both nodes share one hold [GW-RETRY-2]', async () => {
    const prompt = `juniper-hold ${word()}`
    const responses = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => (i % 2 ? governed : other).chat(prompt)))
    expect(new Set(responses.map((response) => expectError(response, 'POLICY_REVIEW_PENDING').review_item_id)).size).toBe(1)
  })
  test('keys: a key revoked on one node is refused by the other [GW-AUTH-3]', async () => {
    const { id, token } = await governed.application()
    expectSuccess(await other.chat('Good morning', {}, { token }))
    const { data } = expectSuccess(await governed.admin('GET', `/applications/${id}/keys`))
    expectSuccess(await governed.admin('POST', `/keys/${data[0]?.id}/revoke`))
    await vi.waitFor(async () => expectError(await other.chat('Good morning', {}, { token }), 'AUTH_KEY_REVOKED'), WAIT)
  })
  test('policies: a version published on one node is active on the other', async () => {
    const key = word()
    expectSuccess(await other.chat(key))
    await governed.publish([
      ...MARKER_RULES,
      { id: 'fresh', at: ['input'], when: `content.text.contains("${key}")`, verdict: 'deny' },
    ])
    await vi.waitFor(async () => expectError(await other.chat(key), 'POLICY_DENIED'), WAIT)
    await governed.publish(MARKER_RULES)
  })
  test('audit log: both nodes write one chain without gaps and read all its records', async () => {
    const ids = await Promise.all(
      Array.from(
        { length: 60 },
        async (_, i) => expectSuccess(await (i % 2 ? governed : other).chat('Good morning')).governance.audit_id,
      ),
    )
    for (const [i, id] of ids.entries()) expect((await (i % 2 ? other : governed).record(id)).id).toBe(id)
    await vi.waitFor(async () => {
      const { rows } = await governed.server.context.database.pool.query('select sequence from audit_record order by sequence')
      expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
    }, WAIT)
  })
})
