import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { seedWorkspace } from '../../test/support/seed.ts'
import type { Database } from '../db/database.ts'
import { generateUserTokenKeys, signUserToken } from '../demo/user-tokens.ts'
import { UserTokenVerifier, WORKSPACES_TOPIC } from './user-token.ts'
import type { WorkspacePatch } from './workspace.ts'
import { updateWorkspace } from './workspace-store.ts'
import type { TokenVerdict } from './workspace-token-verifier.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const noFetch = async () => {
  throw new Error('nothing is fetched here')
}

describe.each(testDatabases())('user tokens on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let verifier: UserTokenVerifier
  let keys: Awaited<ReturnType<typeof generateUserTokenKeys>>

  const configure = async (settings: NonNullable<WorkspacePatch['settings']>, id = workspaceId, signal = true) => {
    await database.db.transaction().execute((tx) => updateWorkspace(tx, id, { settings }))
    if (signal) await database.signal.publish(WORKSPACES_TOPIC, id)
  }
  const token = () => signUserToken(keys.privateJwk, { sub: 'ann', issuedAt: NOW, expiresAt: new Date(NOW.getTime() + 300_000) })
  /** Verifies until it is refused, on a clock of the caches that stands still after so many milliseconds. */
  const refusedAfter = async (ms: number, text: string): Promise<TokenVerdict> => {
    const time = performance.now() + ms
    const clock = vi.spyOn(performance, 'now').mockReturnValue(time)
    const refused = async () => {
      const verdict = await verifier.verify(workspaceId, text)
      expect(verdict).toMatchObject({ ok: false })
      return verdict
    }
    return vi.waitFor(refused, { timeout: 20_000, interval: 10 }).finally(() => clock.mockRestore())
  }

  beforeAll(async () => {
    database = await open()
    keys = await generateUserTokenKeys()
  })
  beforeEach(async () => {
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    verifier = new UserTokenVerifier({ ...database, clock: { now: () => NOW }, fetch: noFetch })
    await configure({ jwks: { keys: [keys.publicJwk] } })
    return () => verifier.close()
  })
  afterAll(() => database.close())

  test('a token counts in its own Workspace only', async () => {
    const other = (await seedWorkspace(database.db)).workspaceId
    const good = await token()
    expect(await verifier.verify(workspaceId, good)).toMatchObject({ ok: true, user: { id: 'ann', verified: true } })
    expect(await verifier.verify(other, good)).toEqual({ ok: false, reason: 'no_keys_configured' })
    await configure({ jwks: { keys: [(await generateUserTokenKeys()).publicJwk] } }, other)
    expect(await verifier.verify(other, good)).toMatchObject({ ok: false })
  })

  test.each([true, false])('taking a key away ends the tokens that it signed, verified ones too (signal: %j)', async (signal) => {
    const good = await token()
    expect(await verifier.verify(workspaceId, good)).toMatchObject({ ok: true })
    await configure({ jwks: null }, workspaceId, signal)
    expect(await refusedAfter(signal ? 0 : 1_000, good)).toEqual({ ok: false, reason: 'no_keys_configured' })
  })

  test('naming an audience ends the tokens that are for nobody in particular', async () => {
    const good = await token()
    expect(await verifier.verify(workspaceId, good)).toMatchObject({ ok: true })
    await configure({ audience: 'gatehouse' })
    expect(await refusedAfter(0, good)).toEqual({ ok: false, reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED' })
  })

  test('keys that cannot be read are a breakdown, not a bad token', async () => {
    await configure({ jwks: { url: 'https://idp.test/keys' } })
    await expect(verifier.verify(workspaceId, await token())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
