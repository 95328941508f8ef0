import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { asGoverned } from '../../../../test/support/governed-text.ts'
import { seedApplication, seedWorkspace } from '../../../../test/support/seed.ts'
import { fromId, newId } from '../../../platform/lib/id.ts'
import { generateUserTokenKeys, signUserToken } from '../../../tools/demo/user-tokens.ts'
import { NO_GROUPS } from '../../identity/group-directory.ts'
import { createUser, findUser } from '../../identity/user-store.ts'
import { UserTokenVerifier } from '../../identity/user-token.ts'
import { updateWorkspace } from '../../identity/workspace-store.ts'
import { ActivePolicies } from '../../policy/active-policies.ts'
import { findTokenHolder, issueAccessToken, listAccessTokens, revokeAccessToken } from './access-token-store.ts'
import { MemberAuthenticator } from './member-authenticator.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const sha256 = (text: string) => createHash('sha256').update(text).digest()
const clock = { now: () => NOW }
const noFetch = async (): Promise<never> => {
  throw new Error('This test fetches no keys')
}

describe.each(testDatabases())('access tokens on $name', async ({ open }) => {
  const issue = async (userId = 'ann') => {
    const issued = await issueAccessToken(database.db, workspaceId, userId, 'phone', NOW)
    if (!issued) throw new Error('no such user')
    return issued
  }
  const authenticator = () => {
    const userTokens = new UserTokenVerifier({ ...database, clock, fetch: noFetch })
    const policies = new ActivePolicies(database.db, { onProblem: () => {} })
    return new MemberAuthenticator({
      ...database,
      clock,
      userTokens,
      policies,
      groups: NO_GROUPS,
      detectors: [],
      detectorBudgetMs: 60_000,
      reportFault: () => {},
    })
  }

  const database = await closeAfterAll(open())
  const workspaceId = (await seedWorkspace(database.db)).workspaceId
  const otherWorkspaceId = (await seedWorkspace(database.db)).workspaceId
  await createUser(database.db, workspaceId, { id: 'ann', username: asGoverned('ann'), role: 'clerk', attributes: { a: 1 } }, NOW)

  test('tokens: stored only as a hash, and authenticate the user with the role and attributes of the directory', async () => {
    const { token } = await issue()
    const row = await database.db
      .selectFrom('access_token')
      .selectAll()
      .where('hash', '=', sha256(token))
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(token.slice(3))
    expect(await findTokenHolder(database.db, sha256(token))).toMatchObject({
      member: { workspaceId, user: { id: 'ann', role: 'clerk', department: '', attributes: { a: 1 }, verified: true } },
      revokedAt: null,
    })
    expect(await authenticator().authenticate(`Bearer ${token}`)).toMatchObject({ workspaceId, user: { id: 'ann' } })
  })

  test('tokens: not issued for an assistant or an unknown user', async () => {
    const { applicationId } = await seedApplication(database.db, workspaceId)
    await createUser(database.db, workspaceId, { id: 'helper', username: asGoverned('helper') }, NOW)
    await database.db
      .insertInto('contact_profile')
      .values({
        workspace_id: fromId('ws', workspaceId) ?? '',
        user_id: 'helper',
        phone_number: '',
        application_id: fromId('app', applicationId) ?? '',
      })
      .execute()
    for (const id of ['helper', 'unknown', '\0']) {
      expect(await issueAccessToken(database.db, workspaceId, id, 'x', NOW)).toBeUndefined()
    }
    expect(await issueAccessToken(database.db, otherWorkspaceId, 'ann', 'x', NOW)).toBeUndefined()
  })

  test('tokens: another Workspace can neither list nor revoke them', async () => {
    const { id, token } = await issue()
    for (const unknown of [id, newId('tok'), 'nonsense']) {
      expect(await revokeAccessToken(database.db, otherWorkspaceId, unknown, NOW)).toBeUndefined()
    }
    expect(await listAccessTokens(database.db, otherWorkspaceId, 'ann', { limit: 10 })).toEqual({ data: [], hasMore: false })
    expect((await findTokenHolder(database.db, sha256(token)))?.revokedAt).toBeNull()
  })

  test('tokens: request gets AUTH_KEY_REVOKED when the token is revoked', async () => {
    const { id, token } = await issue()
    await revokeAccessToken(database.db, workspaceId, id, NOW)
    expect(await authenticator().authenticate(`Bearer ${token}`)).toMatchObject({ code: 'AUTH_KEY_REVOKED' })
    expect(
      (await listAccessTokens(database.db, workspaceId, 'ann', { limit: 100 }))?.data.find((token) => token.id === id),
    ).toMatchObject({
      name: 'phone',
      revokedAt: NOW,
    })
  })

  describe('user tokens', () => {
    const claims = { issuedAt: NOW, expiresAt: new Date(NOW.getTime() + 3_600_000) }
    const trust = async (workspace: string, publicJwk: object) => {
      const jwks = { keys: [publicJwk] } as never
      await database.db.transaction().execute((tx) => updateWorkspace(tx, workspace, { settings: { jwks } }))
    }

    test('user tokens: authenticate when the Workspace has the key, and add new users to the directory', async () => {
      const { privateJwk, publicJwk } = await generateUserTokenKeys()
      await trust(workspaceId, publicJwk)
      const bearer = async (sub: string) => `Bearer ${await signUserToken(privateJwk, { sub, role: 'guest', ...claims })}`
      const newcomer = newId('new')
      expect(await authenticator().authenticate(await bearer(newcomer))).toMatchObject({
        workspaceId,
        user: { id: newcomer, role: 'guest', verified: true },
      })
      expect(await findUser(database.db, workspaceId, newcomer)).toMatchObject({ username: newcomer })
      expect(await authenticator().authenticate(await bearer('ann'))).toMatchObject({ user: { id: 'ann', role: 'guest' } })
      await createUser(database.db, workspaceId, { id: 'other', username: asGoverned('taken') }, NOW)
      expect(await authenticator().authenticate(await bearer('taken'))).toMatchObject({ user: { id: 'taken' } })
      expect(await authenticator().authenticate(await bearer('helper'))).toMatchObject({ code: 'AUTH_INVALID_KEY' })
    })

    test('user tokens: rejected when the keys of two Workspaces verify them', async () => {
      const { privateJwk, publicJwk } = await generateUserTokenKeys()
      const bearer = `Bearer ${await signUserToken(privateJwk, { sub: 'ann', ...claims })}`
      await trust(otherWorkspaceId, publicJwk)
      expect(await authenticator().authenticate(bearer)).toMatchObject({ workspaceId: otherWorkspaceId })
      await trust(workspaceId, publicJwk)
      expect(await authenticator().authenticate(bearer)).toMatchObject({ code: 'AUTH_INVALID_KEY' })
    })

    test.each(['', 'Bearer', 'Bearer a.b', 'Bearer a.b.c.d', 'Basic a.b.c', `Bearer gu_${'x'.repeat(43)}`])(
      'user tokens: rejected when the header is %j',
      async (header) => {
        expect(await authenticator().authenticate(header)).toMatchObject({ code: 'AUTH_INVALID_KEY' })
      },
    )
  })
})
