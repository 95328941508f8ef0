import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { CHAT, contentOf, expectError, expectSuccess } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { startLoad } from '../support/load.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { formatRequest, parseResponse, sendBytes } from '../support/raw-http.ts'
import { says, word } from '../support/scripted-provider.ts'
import { withoutRecords } from '../support/without-records.ts'

const SECRET = 'the colour of the vault is green'

/** The bytes that a socket receives for a chat whose completion is the secret. */
async function receiveBytes(governed: Governed, more: object = {}): Promise<Buffer> {
  const key = word()
  governed.provider.on(key, says(SECRET))
  const body = JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: key }], ...more })
  const headers = { authorization: `Bearer ${governed.key()}`, 'content-type': 'application/json' }
  return sendBytes(governed.base, formatRequest({ path: CHAT, headers, body }), { ms: 15_000 })
}

describe('embedded database that accepts no audit record', () => {
  let governed: Governed
  beforeAll(async () => {
    governed = await startGoverned()
  })
  afterAll(() => governed.close())

  const unrecorded = <T>(work: () => Promise<T>) => withoutRecords(governed.server.context.database.pool, work)
  const items = async () =>
    Number((await governed.server.context.database.pool.query('select count(*) from review_item')).rows[0].count)

  test.each([false, true])(
    'audit: response is 503 without a byte of the completion when the record cannot be written (stream: %j) [GW-PIPE-13, GW-SAFE-3, API-ERR-14]',
    async (stream) => {
      const wire = await unrecorded(() => receiveBytes(governed, { stream }))
      const answer = parseResponse(wire)
      if (!answer) throw new Error('no answer')
      expectError(answer, 'UNAVAILABLE')
      expect(wire.toString('latin1')).not.toContain('vault')
    },
  )
  test('audit: refusals, list of models and audit look-up get 503 when the record cannot be written [GW-SAFE-3]', async () => {
    const responses = await unrecorded(() =>
      Promise.all([governed.chat('juniper-deny'), governed.api('GET', '/v1/models'), governed.api('GET', '/v1/audit/aud_x')]),
    )
    for (const response of responses) expectError(response, 'UNAVAILABLE')
  })
  test('audit: hold is not opened when its record cannot be written', async () => {
    const before = await items()
    const sentPrompt = await unrecorded(() => governed.sendPrompt('juniper-hold'))
    expect(expectError(sentPrompt.response, 'UNAVAILABLE').review_item_id).toBeUndefined()
    expect(await items()).toBe(before)
  })
  test('audit: escalation is not opened and no completion is sent when its record cannot be written', async () => {
    const before = await items()
    const sentPrompt = await unrecorded(() => governed.sendPrompt('juniper-escalate'))
    expectError(sentPrompt.response, 'UNAVAILABLE')
    expect(sentPrompt.response.text).not.toContain(sentPrompt.answer)
    expect(await items()).toBe(before)
  })
  test('audit: held completion can be released later when the record of its release cannot be written', async () => {
    const held = await governed.holdCompletion()
    await governed.decide(held.id, 'approve')
    const response = await unrecorded(() => governed.resubmit(held))
    expectError(response, 'UNAVAILABLE')
    expect(response.text).not.toContain(held.answer)
    expect(contentOf(await governed.resubmit(held))).toBe(held.answer)
    expect(governed.countProviderCalls(held)).toBe(1)
  })
  test('audit: provider is not called twice when the release of a held request cannot be recorded', async () => {
    const held = await governed.holdPrompt()
    await governed.decide(held.id, 'approve')
    expectError(await unrecorded(() => governed.resubmit(held)), 'UNAVAILABLE')
    expect(expectError(await governed.resubmit(held), 'PROVIDER_ERROR').message).toMatch(/interrupted/)
    expect(governed.countProviderCalls(held)).toBe(1)
  })
  test('audit: held request can be released when its provider has not been called', async () => {
    const held = await governed.holdPrompt('juniper-hold', { more: { model: 'demo-mini' } })
    await governed.decide(held.id, 'approve')
    expectSuccess(await governed.resubmit(held, {}, { model: 'demo-mini' }))
  })
  test('audit: change by an operator is not made when it cannot be recorded', async () => {
    const before = expectSuccess(await governed.admin('GET', '/applications')).data.length
    const response = await unrecorded(() => governed.admin('POST', '/applications', { json: { name: 'unrecorded' } }))
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(expectSuccess(await governed.admin('GET', '/applications')).data.length).toBe(before)
  })
  test('audit: chain continues without a gap when records can be written again', async () => {
    expectSuccess((await governed.sendPrompt()).response)
    const { rows } = await governed.server.context.database.pool.query('select sequence from audit_record order by sequence')
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
  })
})

const url = postgresUrl()

describe.skipIf(url === null)('PostgreSQL that is unavailable for a time', () => {
  let governed: Governed
  let database: Awaited<ReturnType<typeof createOwnDatabase>>
  beforeAll(async () => {
    database = await createOwnDatabase(url ?? '')
    governed = await startGoverned({ DATABASE_URL: database.url, GATEHOUSE_SECRET_KEY: 'x'.repeat(32) })
  })
  afterAll(async () => {
    await governed.close()
    await database.drop()
  })

  test('database: requests get 200 or 503 and recover when all connections are cut', async () => {
    await database.endConnections()
    const statuses: number[] = []
    await vi.waitFor(async () => {
      const { response } = await governed.sendPrompt()
      statuses.push(response.status)
      contentOf(response)
    }, 30_000)
    for (const status of statuses) expect([200, 503]).toContain(status)
  })
  test('database: every request and /readyz get 503 when the database is unavailable, and 200 when it is back [API-AUTH-4]', async () => {
    await database.allowConnections(false)
    await database.endConnections()
    await sleep(1_000)
    const responses = await Promise.all([
      governed.chat('Good morning'),
      governed.chat('Good morning', { stream: true }),
      governed.chat('juniper-hold'),
      governed.api('GET', '/v1/models'),
      governed.api('GET', '/v1/audit/aud_x'),
      governed.chat('x', {}, { userToken: governed.demo.users[0]?.user_token ?? '' }),
      governed.admin('GET', '/applications'),
    ])
    for (const response of responses) expectError(response, 'UNAVAILABLE')
    expect((await governed.api('GET', '/readyz', { token: null })).status).toBe(503)
    expect((await governed.api('GET', '/healthz', { token: null })).status).toBe(200)
    expect((await receiveBytes(governed)).toString()).not.toContain('vault')

    await database.allowConnections(true)
    await vi.waitFor(async () => contentOf((await governed.sendPrompt()).response), 30_000)
    expect((await governed.api('GET', '/readyz', { token: null })).status).toBe(200)
  })
  test('database: every response has its record and the chain has no gap when connections are cut under load', async () => {
    const cutConnections = async () => {
      await sleep(150)
      await database.endConnections()
    }
    const stopCutting = startLoad([cutConnections])
    const ids: string[] = []
    const load = Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 30; i++) {
        const { response } = await governed.sendPrompt()
        if (response.status === 200) ids.push(response.body.governance.audit_id)
        else expectError(response, 'UNAVAILABLE')
      }
    })
    await Promise.all(load).finally(stopCutting)
    await vi.waitFor(async () => contentOf((await governed.sendPrompt()).response), 30_000)
    for (const id of ids) expect((await governed.record(id)).id).toBe(id)
    const { rows } = await governed.server.context.database.pool.query('select sequence from audit_record order by sequence')
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
  })
  test('database: hold can be approved and released when connections are cut', async () => {
    const held = await governed.holdPrompt()
    await database.endConnections()
    await vi.waitFor(() => governed.decide(held.id, 'approve'), 30_000)
    expect(contentOf(await governed.resubmit(held))).toBe(held.answer)
  })
})
