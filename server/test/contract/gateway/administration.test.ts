import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readDemo } from '../../support/demo.ts'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

afterEach(() => void vi.restoreAllMocks())

describe('start and administration', () => {
  test('demo.json: has address, keys, tokens, two Applications and three users, with mode 0600', async () => {
    const { dataDir } = governed.server.config
    const greeting = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await governed.server.announce()
    expect(String(greeting.mock.calls)).toContain(governed.key())
    const demo = readDemo(dataDir)
    expect(demo.base_url).toBe(governed.base)
    expect(demo.admin_token).toMatch(/^ga_/)
    expect(demo.applications.length).toBeGreaterThanOrEqual(2)
    expect(demo.users.length).toBeGreaterThanOrEqual(3)
    expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).toBe(0o600)
    // With a PostgreSQL the environment has the key.
    if (!governed.server.config.databaseUrl) expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
  })
  test('admin API: bearer ga_…; lists are {object, data, has_more, next_cursor} [ADM-API-1, ADM-API-2]', async () => {
    for (const path of [
      '/applications',
      '/providers',
      '/models',
      '/policy-sets',
      '/reviews',
      '/users',
      '/audit',
      '/workspaces',
    ]) {
      expect(Object.keys(expectSuccess(await governed.admin('GET', path))).toSorted(), path).toEqual([
        'data',
        'has_more',
        'next_cursor',
        'object',
      ])
      expectError(await governed.admin('GET', path, { token: null }), 'AUTH_INVALID_KEY')
    }
  })
  test('Applications: settings and limits are set, changed one by one, and returned [ADM-API-3]', async () => {
    const settings = {
      knowledge: { enabled: true, collections: [] },
      memory: { enabled: true, capture: 'explicit' },
      extensions: ['tools'],
      responses: { store: 'default', retention_days: 90 },
    }
    const limits = { requests_per_minute: 30, burst: 3, concurrency: 2, tokens_per_minute: 5_000 }
    const json = { name: `desk ${crypto.randomUUID()}`, settings, limits }
    const { id } = expectSuccess(await governed.admin('POST', '/applications', { json }), 201)
    const changes = { settings: { memory: { capture: 'off' }, responses: { retention_days: 7 } }, limits: { burst: 4 } }
    const changed = await governed.change(id, changes)
    expect(changed).toMatchObject({
      settings: { ...settings, memory: { enabled: true, capture: 'off' }, responses: { store: 'default', retention_days: 7 } },
      limits: { ...limits, burst: 4 },
    })
    expect(expectSuccess(await governed.admin('GET', `/applications/${id}`))).toEqual(changed)
    const { settings: again } = await governed.change(id, { settings: { responses: { store: 'off' } } })
    expect(again).toMatchObject({ responses: { store: 'off', retention_days: 7 } })
  })
  test.each(['approve', 'deny'] as const)(
    'reviews: %s returns the item in its new state with the comment [ADM-API-7, GW-REV-3]',
    async (decision) => {
      const { id } = await governed.holdPrompt()
      const decided = expectSuccess(await governed.admin('POST', `/reviews/${id}/${decision}`, { json: { comment: 'Seen.' } }))
      expect(decided).toMatchObject({ id, state: decision === 'approve' ? 'approved' : 'denied', comment: 'Seen.' })
      expect(expectSuccess(await governed.admin('GET', `/reviews/${id}`))).toMatchObject({ id, state: decided.state })
    },
  )
  test('users: every field is returned, and a token is shown once [ADM-API-10]', async () => {
    const id = `pilot-${crypto.randomUUID()}`
    const json = { id, username: id, role: 'pilot', department: 'hangar', attributes: { wing: 'left' } }
    expect(expectSuccess(await governed.admin('POST', '/users', { json }), 201)).toMatchObject(json)
    const { token } = expectSuccess(await governed.admin('POST', `/users/${id}/tokens`, { json: {} }), 201)
    expect(token).toMatch(/^gu_/)
    expect((await governed.admin('GET', `/users/${id}/tokens`)).text).not.toContain(token)
  })
  test('/healthz, /readyz, /metrics need no key', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await governed.api('GET', path, { token: null })).status).toBe(200)
  })
})
