import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { seedApplication, seedWorkspace } from '../../test/support/seed.ts'
import type { Database } from '../db/database.ts'
import { localSignal, type Signal } from '../db/signal.ts'
import { SCOPES } from '../domain/scope.ts'
import { ADMIN_TOKENS_TOPIC, AdminAuthenticator } from './admin-authenticator.ts'
import { adminTokenView } from './admin-token.ts'
import { createAdminToken, hasAdminToken, listAdminTokens, revokeAdminToken } from './admin-token-store.ts'
import { findKeyByHash, issueKey, revokeKey } from './api-key-store.ts'
import { updateApplication } from './application-store.ts'
import { APPLICATIONS_TOPIC, Authenticator, KEYS_TOPIC } from './authenticator.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const INVALID = { ok: false, code: 'AUTH_INVALID_KEY' }
const REVOKED = { ok: false, code: 'AUTH_KEY_REVOKED' }

/** A signal of which nothing ever arrives. */
const lostSignal: Signal = { publish: async () => {}, subscribe: () => () => {}, close: async () => {} }

/** Asks until the answer is the awaited one; how long that took, in milliseconds. */
async function until(answer: () => Promise<{ ok: boolean }>, awaited: object): Promise<number> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < 3_000) {
    const got = await answer()
    if ('code' in got && 'code' in awaited ? got.code === awaited.code : got.ok === (awaited as { ok: boolean }).ok) break
    await sleep(10)
  }
  expect(await answer()).toMatchObject(awaited)
  return performance.now() - startedAt
}

describe.each(testDatabases())('keys on $name', ({ open }) => {
  /** Two nodes over one database; the embedded one has one process, hence one signal. */
  let first: Database
  let second: Database
  let workspaceId: string
  let applicationId: string

  beforeAll(async () => {
    first = await open()
    second = await open()
    if (second.kind === 'embedded') second = { ...second, signal: first.signal }
    workspaceId = (await seedWorkspace(first.db)).workspaceId
    applicationId = (await seedApplication(first.db, workspaceId)).applicationId
  })
  afterAll(async () => {
    await first.close()
    await second.close()
  })

  const issue = async () => {
    const issued = await issueKey(first.db, { workspaceId, applicationId }, 'test', NOW)
    if (!issued) throw new Error('no such Application')
    return { id: issued.id, header: `Bearer ${issued.key}` }
  }

  test('a key names its Application, an unknown one nobody', async () => {
    const authenticator = new Authenticator(first)
    const { id, header } = await issue()
    expect(await authenticator.authenticate(header)).toMatchObject({
      ok: true,
      keyId: id,
      keyIssuer: null,
      application: { id: applicationId, workspaceId, limits: { requests_per_minute: 600 } },
    })
    expect(await authenticator.authenticate(`Bearer gk_${'x'.repeat(43)}`)).toEqual(INVALID)
    expect(await authenticator.authenticate(`${header}x`)).toEqual(INVALID)
    expect(await authenticator.authenticate(undefined)).toEqual(INVALID)
    authenticator.close()
  })

  test('a revocation reaches every node within 1 s', async () => {
    const nodes = [new Authenticator(first), new Authenticator(second)]
    const { id, header } = await issue()
    for (const node of nodes) expect(await node.authenticate(header)).toMatchObject({ ok: true })
    await revokeKey(first.db, workspaceId, id, NOW)
    await first.signal.publish(KEYS_TOPIC, id)
    for (const node of nodes) expect(await until(() => node.authenticate(header), REVOKED)).toBeLessThan(1_000)
    for (const node of nodes) node.close()
  })

  test('a revocation reaches every node within 1 s even if its signal is lost', async () => {
    const nodes = [first.db, second.db].map((db) => new Authenticator({ db, signal: lostSignal }))
    const { id, header } = await issue()
    for (const node of nodes) expect(await node.authenticate(header)).toMatchObject({ ok: true })
    await revokeKey(first.db, workspaceId, id, NOW)
    const took = await Promise.all(nodes.map((node) => until(() => node.authenticate(header), REVOKED)))
    for (const ms of took) expect(ms).toBeLessThan(1_000)
  })

  test('a changed Application is seen as soon as the signal arrives', async () => {
    const node = new Authenticator(second)
    const { header } = await issue()
    await node.authenticate(header)
    await first.db.transaction().execute((tx) => updateApplication(tx, workspaceId, applicationId, { limits: { burst: 7 } }, NOW))
    await first.signal.publish(APPLICATIONS_TOPIC, applicationId)
    const startedAt = performance.now()
    let burst = 0
    while (burst !== 7 && performance.now() - startedAt < 500) {
      const answer = await node.authenticate(header)
      burst = answer.ok ? answer.application.limits.burst : 0
      if (burst !== 7) await sleep(5)
    }
    expect(burst).toBe(7)
    node.close()
  })

  test('a closed Authenticator listens no more', async () => {
    const signal = localSignal()
    const node = new Authenticator({ db: first.db, signal })
    const { id, header } = await issue()
    await node.authenticate(header)
    node.close()
    await revokeKey(first.db, workspaceId, id, NOW)
    await signal.publish(KEYS_TOPIC, id)
    expect(await node.authenticate(header)).toMatchObject({ ok: true })
  })

  test('a database that does not answer is a breakdown, not a wrong key', async () => {
    const gone = await open()
    const node = new Authenticator({ db: gone.db, signal: lostSignal })
    const { header } = await issue()
    await gone.signal.close()
    await gone.pool.end()
    await expect(node.authenticate(header)).rejects.toThrow()
    expect(await node.authenticate('Bearer nonsense')).toEqual(INVALID)
  })

  test('a key in use costs no query', async () => {
    const { header } = await issue()
    let queries = 0
    const db = first.db.withPlugin({
      transformQuery({ node }) {
        queries += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    let now = 0
    const node = new Authenticator({ db, signal: lostSignal }, { clock: () => now })
    for (let i = 0; i < 1_000; i++) await node.authenticate(header)
    // Found, and its first use noted: which happens once a minute at most.
    expect(queries).toBe(2)
    for (let i = 0; i < 1_000; i++) await node.authenticate(`Bearer not-a-key-${i}`)
    expect(queries).toBe(2)
    const noted = async () => (await findKeyByHash(first.db, createHash('sha256').update(header.slice(7)).digest()))?.useToNote
    await expect.poll(noted).toBe(false)
    now += 750
    await node.authenticate(header)
    expect(queries).toBe(3)
  })

  test('an admin token names its operator, until it is revoked', async () => {
    const nodes = [new AdminAuthenticator(first), new AdminAuthenticator(second)]
    const { token, ...shown } = await createAdminToken(first.db, { name: 'ops' }, NOW)
    expect(token).toMatch(/^ga_[A-Za-z0-9_-]{43}$/)
    expect(JSON.stringify(adminTokenView(shown))).not.toContain(token.slice(3))
    expect(await hasAdminToken(first.db)).toBe(true)
    for (const node of nodes) {
      expect(await node.authenticate(`Bearer ${token}`)).toEqual({
        ok: true,
        operator: { id: shown.id, name: 'ops', kind: 'token', scopes: SCOPES },
      })
    }
    await revokeAdminToken(first.db, shown.id, NOW)
    await first.signal.publish(ADMIN_TOKENS_TOPIC, shown.id)
    for (const node of nodes) expect(await until(() => node.authenticate(`Bearer ${token}`), REVOKED)).toBeLessThan(1_000)
    expect(await revokeAdminToken(first.db, shown.id, new Date())).toMatchObject({ revokedAt: NOW })
    expect(await revokeAdminToken(first.db, 'nonsense', NOW)).toBeUndefined()
    for (const node of nodes) node.close()
  })

  test('an API key opens no door of the admin API, nor an admin token one of the gateway', async () => {
    const [admin, gateway] = [new AdminAuthenticator(first), new Authenticator(first)]
    const { token } = await createAdminToken(first.db, { name: 'ops' }, NOW)
    const { header } = await issue()
    expect(await admin.authenticate(header)).toEqual({ ...INVALID, message: 'The admin token is missing or not valid.' })
    expect(await gateway.authenticate(`Bearer ${token}`)).toEqual(INVALID)
    admin.close()
    gateway.close()
  })

  test('admin tokens are listed oldest first', async () => {
    const ids = [
      (await createAdminToken(first.db, { name: 'a' }, NOW)).id,
      (await createAdminToken(first.db, { name: 'b' }, NOW)).id,
    ]
    const page = await listAdminTokens(first.db, { limit: 1, after: ids[0] })
    expect(page?.data[0]?.id).toBe(ids[1])
    expect(await listAdminTokens(first.db, { limit: 1, after: 'nonsense' })).toBeUndefined()
  })
})
