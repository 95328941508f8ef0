import { beforeEach, describe, expect, test, vi } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { generateUserTokenKeys, signUserToken } from '../../tools/demo/user-tokens.ts'
import { UserTokenVerifier, WORKSPACES_TOPIC } from './user-token.ts'
import type { WorkspacePatch } from './workspace.ts'
import { updateWorkspace } from './workspace-store.ts'
import type { TokenVerdict } from './workspace-token-verifier.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const noFetch = async () => {
  throw new Error('This test must not fetch keys.')
}

describe.each(testDatabases())('on $name', async ({ open }) => {
  let workspaceId: string
  let verifier: UserTokenVerifier

  const configure = async (settings: NonNullable<WorkspacePatch['settings']>, id = workspaceId, signal = true) => {
    await database.db.transaction().execute((tx) => updateWorkspace(tx, id, { settings }))
    if (signal) await database.signal.publish(WORKSPACES_TOPIC, id)
  }
  const token = () => signUserToken(keys.privateJwk, { sub: 'ann', issuedAt: NOW, expiresAt: new Date(NOW.getTime() + 300_000) })
  /** Verifies a token until it is refused. The clock of the caches is set `ms` ahead. */
  const awaitRefusal = async (ms: number, text: string): Promise<TokenVerdict> => {
    const time = performance.now() + ms
    const clock = vi.spyOn(performance, 'now').mockReturnValue(time)
    const refused = async () => {
      const verdict = await verifier.verify(workspaceId, text)
      expect(verdict).toMatchObject({ ok: false })
      return verdict
    }
    return vi.waitFor(refused, { timeout: 20_000, interval: 10 }).finally(() => clock.mockRestore())
  }

  const database = await closeAfterAll(open())
  const keys = await generateUserTokenKeys()
  beforeEach(async () => {
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    verifier = new UserTokenVerifier({ ...database, clock: { now: () => NOW }, fetch: noFetch })
    await configure({ jwks: { keys: [keys.publicJwk] } })
  })

  test('user token: refused when it is of another Workspace', async () => {
    const other = (await seedWorkspace(database.db)).workspaceId
    const validToken = await token()
    expect(await verifier.verify(workspaceId, validToken)).toMatchObject({ ok: true, user: { id: 'ann', verified: true } })
    expect(await verifier.verify(other, validToken)).toEqual({ ok: false, reason: 'no_keys_configured' })
    await configure({ jwks: { keys: [(await generateUserTokenKeys()).publicJwk] } }, other)
    expect(await verifier.verify(other, validToken)).toMatchObject({ ok: false })
  })

  test.each([true, false])(
    'user token: refused when its key is removed, even after a verification (signal: %j)',
    async (signal) => {
      const validToken = await token()
      expect(await verifier.verify(workspaceId, validToken)).toMatchObject({ ok: true })
      await configure({ jwks: null }, workspaceId, signal)
      expect(await awaitRefusal(signal ? 0 : 1_000, validToken)).toEqual({ ok: false, reason: 'no_keys_configured' })
    },
  )
})
