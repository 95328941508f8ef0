import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { seedApplication, seedWorkspace } from '../../../test/support/seed.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { FULL_ACCESS } from '../../shared/access.ts'
import { SCOPES } from '../../shared/scope.ts'
import { ADMIN_TOKENS_TOPIC, AdminAuthenticator } from '../operators/admin-authenticator.ts'
import { adminTokenView } from '../operators/admin-token.ts'
import { createAdminToken, hasAdminToken, revokeAdminToken } from '../operators/admin-token-store.ts'
import { findKeyByHash, issueKey, revokeKey } from './api-key-store.ts'
import { updateApplication } from './application-store.ts'
import { APPLICATIONS_TOPIC, Authenticator, KEYS_TOPIC } from './authenticator.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest()
const NOW = new Date('2026-03-02T09:00:00Z')
const INVALID = { ok: false, code: 'AUTH_INVALID_KEY' }
const REVOKED = { ok: false, code: 'AUTH_KEY_REVOKED' }

/** A signal that never arrives. */
const lostSignal: Signal = { publish: async () => {}, subscribe: () => () => {}, reconnects: 0, close: async () => {} }

/** With this clock cache entries never expire: only a signal removes them. */
const STOPPED_CLOCK = { clock: () => 0 }
const WAIT = { timeout: 20_000, interval: 10 }

describe.each(testDatabases())('on $name', async ({ open }) => {
  /** Two nodes with one database. An embedded database has one process and therefore one signal. */
  let second: Database

  const first = await open()
  second = await open()
  if (second.kind === 'embedded') second = { ...second, signal: first.signal }
  const workspaceId = (await seedWorkspace(first.db)).workspaceId
  const applicationId = (await seedApplication(first.db, workspaceId)).applicationId
  afterAll(async () => {
    await first.close()
    await second.close()
  })

  const issue = async () => {
    const issued = await issueKey(first.db, { workspaceId, applicationId }, 'test', NOW)
    if (!issued) throw new Error('no such Application')
    return { id: issued.id, header: `Bearer ${issued.key}` }
  }

  test('API key store: key and Application are of one Workspace', async () => {
    const foreign = (await seedWorkspace(first.db)).workspaceId
    for (const owner of [
      { workspaceId: foreign, applicationId },
      { workspaceId, applicationId: newId('app') },
    ])
      expect(await issueKey(first.db, owner, 'ci', NOW)).toBeUndefined()
    const { id = '', key = '' } = (await issueKey(first.db, { workspaceId, applicationId }, 'ci', NOW)) ?? {}
    expect(await findKeyByHash(first.db, sha256(key))).toMatchObject({ keyId: id })
    const moved = first.db.updateTable('api_key').set({ workspace_id: fromId('ws', foreign) ?? '' })
    await moved.where('id', '=', fromId('key', id) ?? '').execute()
    expect(await findKeyByHash(first.db, sha256(key))).toBeUndefined()
  })

  test('authenticator: key is revoked on every node when the signal arrives', async () => {
    const nodes = [new Authenticator(first, STOPPED_CLOCK), new Authenticator(second, STOPPED_CLOCK)]
    const { id, header } = await issue()
    for (const node of nodes) expect(await node.authenticate(header)).toMatchObject({ ok: true })
    await revokeKey(first.db, workspaceId, id, NOW)
    await first.signal.publish(KEYS_TOPIC, id)
    for (const node of nodes) await vi.waitFor(async () => expect(await node.authenticate(header)).toMatchObject(REVOKED), WAIT)
  })

  test('authenticator: key is revoked on every node within 1 s when the signal is lost', async () => {
    let now = 0
    const nodes = [first.db, second.db].map((db) => new Authenticator({ db, signal: lostSignal }, { clock: () => now }))
    const { id, header } = await issue()
    for (const node of nodes) expect(await node.authenticate(header)).toMatchObject({ ok: true })
    await revokeKey(first.db, workspaceId, id, NOW)
    now = 1_000
    for (const node of nodes) expect(await node.authenticate(header)).toMatchObject(REVOKED)
  })

  test('authenticator: changed Application is seen when the signal arrives', async () => {
    const node = new Authenticator(second, STOPPED_CLOCK)
    const { header } = await issue()
    await node.authenticate(header)
    await first.db.transaction().execute((tx) => updateApplication(tx, workspaceId, applicationId, { limits: { burst: 7 } }, NOW))
    await first.signal.publish(APPLICATIONS_TOPIC, applicationId)
    const changed = { ok: true, application: { limits: { burst: 7 } } }
    await vi.waitFor(async () => expect(await node.authenticate(header)).toMatchObject(changed), WAIT)
  })

  test('authenticator: throws when the database does not respond', async () => {
    const closed = await open()
    const node = new Authenticator({ db: closed.db, signal: lostSignal })
    const { header } = await issue()
    await closed.signal.close()
    await closed.pool.end()
    await expect(node.authenticate(header)).rejects.toThrow()
    expect(await node.authenticate('Bearer invalid')).toEqual(INVALID)
  })

  test('authenticator: no query when the key is cached', async () => {
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
    // One query finds the key, one stores its last use.
    expect(queries).toBe(2)
    for (let i = 0; i < 1_000; i++) await node.authenticate(`Bearer not-a-key-${i}`)
    expect(queries).toBe(2)
    const isOutdated = async () => (await findKeyByHash(first.db, sha256(header.slice(7))))?.isUseOutdated
    await expect.poll(isOutdated).toBe(false)
    now += 750
    await node.authenticate(header)
    expect(queries).toBe(3)
  })

  test('admin authenticator: token gets its operator until it is revoked', async () => {
    const nodes = [new AdminAuthenticator(first, STOPPED_CLOCK), new AdminAuthenticator(second, STOPPED_CLOCK)]
    const { token, ...shown } = await createAdminToken(first.db, { name: 'ops' }, NOW)
    expect(token).toMatch(/^ga_[A-Za-z0-9_-]{43}$/)
    expect(JSON.stringify(adminTokenView(shown, FULL_ACCESS))).not.toContain(token.slice(3))
    expect(await hasAdminToken(first.db)).toBe(true)
    for (const node of nodes) {
      expect(await node.authenticate(`Bearer ${token}`)).toEqual({
        ok: true,
        operator: { id: shown.id, name: 'ops', kind: 'token', access: FULL_ACCESS, scopes: SCOPES },
      })
    }
    await revokeAdminToken(first.db, shown.id, NOW)
    await first.signal.publish(ADMIN_TOKENS_TOPIC, shown.id)
    for (const node of nodes)
      await vi.waitFor(async () => expect(await node.authenticate(`Bearer ${token}`)).toMatchObject(REVOKED), WAIT)
    expect(await revokeAdminToken(first.db, shown.id, new Date())).toMatchObject({ revokedAt: NOW })
    expect(await revokeAdminToken(first.db, 'invalid', NOW)).toBeUndefined()
  })
})
