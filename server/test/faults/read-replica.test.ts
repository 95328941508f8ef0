import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { startDatabaseRelay } from '../support/tcp-relay.ts'

const url = postgresUrl()
const WAIT = { timeout: 60_000, interval: 100 }

/** Needs TEST_DATABASE_URL. The replica is the primary behind a relay. */
describe.skipIf(url === null)('a read replica', { timeout: 120_000 }, () => {
  let own: Awaited<ReturnType<typeof createOwnDatabase>>
  let relay: Awaited<ReturnType<typeof startDatabaseRelay>>
  let governed: Governed
  beforeAll(async () => {
    own = await createOwnDatabase(url ?? '')
    relay = await startDatabaseRelay(own.url)
    const env = { DATABASE_URL: own.url, GATEHOUSE_DATABASE_READ_URL: relay.url, GATEHOUSE_SECRET_KEY: 'x'.repeat(32) }
    governed = await startGoverned(env)
  })
  afterAll(async () => {
    await governed.close()
    await relay.close()
    await own.drop()
  })

  const check = async () => {
    const response = await fetch(`${governed.base}/readyz`)
    const { checks } = (await response.json()) as { checks: { name: string }[] }
    return checks.find(({ name }) => name === 'read_replica')
  }
  const reads = ['/audit', '/overview', '/audit/export'] as const
  const readAll = async () => {
    for (const path of reads) expect((await governed.admin('GET', path)).status).toBe(200)
    return expectSuccess(await governed.admin('GET', '/audit')).data[0]?.id
  }

  test('read replica: lists, statistics and exports work, and continue on the primary when the replica is gone', async () => {
    const { response } = await governed.sendPrompt()
    const { audit_id } = expectSuccess(response).governance
    expect(await readAll()).toBe(audit_id)
    expect(await check()).toEqual({ name: 'read_replica', status: 'ok' })
    expect(await (await fetch(`${governed.base}/metrics`)).text()).toMatch(/^gatehouse_replica_lag_seconds \d/m)

    await relay.close()
    await vi.waitFor(async () => expect(await check()).toMatchObject({ status: 'degraded' }), WAIT)
    expect(await readAll()).toBe(audit_id)
    expect((await fetch(`${governed.base}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${governed.base}/metrics`)).text()).toMatch(/^gatehouse_replica_lag_seconds \+Inf$/m)
  })
})
