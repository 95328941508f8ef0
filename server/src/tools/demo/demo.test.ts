import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { StartFixture } from '../../../test/support/start-fixture.ts'
import { verifyWorkspace } from '../../domains/audit/verify/verify.ts'
import { createWorkspaceKeys, loadWorkspaceKeys, type WorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { findApplicationByName, updateApplication } from '../../domains/identity/application-store.ts'
import { updateUser } from '../../domains/identity/user-store.ts'
import { UserTokenVerifier } from '../../domains/identity/user-token.ts'
import { createWorkspace, listWorkspaces } from '../../domains/identity/workspace-store.ts'
import { hasAdminToken } from '../../domains/operators/admin-token-store.ts'
import { findActivePolicySet } from '../../domains/policy/policy-store.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { newId } from '../../platform/lib/id.ts'
import type { DemoFile } from './demo-file.ts'

describe.each(freshDatabases())('demo, on $name', async ({ open }) => {
  const starts = await StartFixture.forEachTest(open)
  const db = () => starts.database.db
  const identify = async ({ workspace }: DemoFile, token: string) => {
    const fetch = () => Promise.reject(new Error('the keys are inline'))
    const verifier = new UserTokenVerifier({ ...starts.database, clock: systemClock, fetch })
    return verifier.verify(workspace.id, token)
  }

  test('demo: every key, token and user of demo.json is valid when an empty database is seeded', async () => {
    await starts.start()
    const { base_url, workspace, applications, users, admin_token } = starts.demo()
    expect(base_url).toBe('http://127.0.0.1:8787')
    expect(statSync(starts.demoFile).mode & 0o777).toBe(0o600)
    expect(applications.map(({ name }) => name)).toEqual(['support', 'engineering'])
    for (const { name, api_key, revoked_api_key } of applications) {
      expect(await starts.findApplicationName(api_key)).toBe(name)
      expect(await starts.findApplicationName(revoked_api_key)).toBe('AUTH_KEY_REVOKED')
    }
    expect(await starts.findOperatorName(admin_token)).toBe('demo')
    expect(users.length).toBeGreaterThanOrEqual(3)
    for (const { id, role, department, attributes, user_token } of users) {
      expect(await identify(starts.demo(), user_token)).toEqual({
        ok: true,
        user: { id, role, department, attributes, verified: true },
      })
    }
    expect(await findActivePolicySet(db(), workspace.id)).toMatchObject({ name: 'demo', version: 1 })
  })

  test('demo: file changes only its URLs when the server starts again at another address', async () => {
    await starts.start()
    const first = starts.demo()
    await starts.start({}, { base: 'http://127.0.0.1:9999' })
    const dashboard = { ...first.dashboard, url: 'http://127.0.0.1:9999/dashboard/' }
    expect(starts.demo()).toEqual({ ...first, base_url: 'http://127.0.0.1:9999', dashboard })
    const { records } = await verifyWorkspace(db(), first.workspace.id, await workspaceKeys(starts))
    await starts.start({}, { base: 'http://127.0.0.1:9999' })
    expect(await verifyWorkspace(db(), first.workspace.id, await workspaceKeys(starts))).toMatchObject({
      ok: true,
      records,
    })
  })

  test('demo: keys and tokens are replaced and other changes stay when demo.json is deleted', async () => {
    await starts.start()
    const before = starts.demo()
    const db = starts.database.db
    const [support] = before.applications
    const { id: workspaceId } = before.workspace
    await db
      .transaction()
      .execute((tx) => updateApplication(tx, workspaceId, support?.id ?? '', { limits: { burst: 7 } }, new Date()))
    await db.transaction().execute((tx) => updateUser(tx, workspaceId, 'alice', { role: 'team_lead' }, new Date()))
    rmSync(starts.demoFile)
    await starts.start()
    const after = starts.demo()
    expect(after.applications.map(({ id }) => id)).toEqual(before.applications.map(({ id }) => id))
    for (const [index, { api_key }] of after.applications.entries()) {
      expect(await starts.findApplicationName(api_key)).toBe(after.applications[index]?.name)
      expect(await starts.findApplicationName(before.applications[index]?.api_key)).toBe('AUTH_KEY_REVOKED')
    }
    expect([await starts.findOperatorName(after.admin_token), await starts.findOperatorName(before.admin_token)]).toEqual([
      'demo',
      'AUTH_KEY_REVOKED',
    ])
    expect(await identify(after, before.users[0]?.user_token ?? '')).toMatchObject({ ok: false })
    expect(await identify(after, after.users[0]?.user_token ?? '')).toMatchObject({ ok: true, user: { role: 'team_lead' } })
    expect(await findApplicationByName(db, workspaceId, 'support')).toMatchObject({ limits: { burst: 7 } })
  })

  test('demo: keys and tokens are replaced when demo.json is incomplete or of another database', async () => {
    await starts.start()
    const real = readFileSync(starts.demoFile, 'utf8')
    const { applications, ...rest } = JSON.parse(real) as DemoFile
    const foreign = applications.map((application) => ({ ...application, api_key: `gk_${'x'.repeat(43)}` }))
    for (const text of [JSON.stringify({ applications: foreign, ...rest }), real.slice(0, 100), '[]']) {
      writeFileSync(starts.demoFile, text)
      await starts.start()
      expect(await starts.findApplicationName(starts.demo().applications[0]?.api_key)).toBe('support')
    }
  })

  test('demo: key stays revoked when an operator revoked it', async () => {
    await starts.start()
    const { applications, workspace } = starts.demo()
    await db().updateTable('api_key').set({ revoked_at: new Date() }).execute()
    await starts.start()
    expect(starts.demo().workspace).toEqual(workspace)
    expect(await starts.findApplicationName(applications[0]?.api_key)).toBe('AUTH_KEY_REVOKED')
  })

  test('demo: file is replaced when its database is empty', async () => {
    await starts.start()
    const orphan = starts.demo()
    await starts.empty()
    await starts.start()
    expect(starts.demo().workspace.id).not.toBe(orphan.workspace.id)
    expect(await starts.findApplicationName(starts.demo().applications[0]?.api_key)).toBe('support')
  })

  test('demo: next start seeds when the seeding of the first start fails', async () => {
    const db = starts.database.db
    await sql`alter table policy_set add constraint fault check (version < 0)`.execute(db)
    await expect(starts.prepare()).rejects.toThrow(/fault/)
    expect((await listWorkspaces(db, { limit: 1 }))?.data).toEqual([])
    await sql`alter table policy_set drop constraint fault`.execute(db)
    await starts.start()
    expect(await starts.findApplicationName(starts.demo().applications[0]?.api_key)).toBe('support')
  })

  test('demo: one Workspace is created when two servers start at the same time', async () => {
    await Promise.all([starts.start(), starts.start()])
    expect((await listWorkspaces(db(), { limit: 10 }))?.data).toHaveLength(1)
    expect(await starts.findApplicationName(starts.demo().applications[0]?.api_key)).toBe('support')
  })

  test('demo: not seeded when the database has another Workspace', async () => {
    const { workspaceBox } = starts.deps()
    const id = newId('ws')
    await db()
      .transaction()
      .execute((tx) => createWorkspace(tx, id, { name: 'demo' }, createWorkspaceKeys(workspaceBox, id), new Date()))
    await starts.start()
    expect(() => starts.demo()).toThrow(/ENOENT/)
    expect(await hasAdminToken(db())).toBe(true)
  })

  test('demo: banner has a curl command with a key, and the log has no key', async () => {
    await starts.start()
    const [{ api_key } = { api_key: '' }] = starts.demo().applications
    expect(starts.greeting).toContain('Gatehouse is running at http://127.0.0.1:8787')
    expect(starts.greeting).toContain(`-H 'Authorization: Bearer ${api_key}'`)
    expect(starts.greeting).toContain(starts.demoFile)
    expect(starts.greeting).toContain('http://127.0.0.1:8787/docs')
    expect(starts.logs).not.toMatch(/g[ka]_/)
  })
})

async function workspaceKeys(starts: StartFixture): Promise<WorkspaceKeys> {
  const { database, workspaceBox } = starts.deps()
  const id = (await listWorkspaces(database.db, { limit: 1 }))?.data[0]?.id ?? ''
  return (await loadWorkspaceKeys(database.db, workspaceBox, id)) as WorkspaceKeys
}
