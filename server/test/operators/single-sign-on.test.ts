import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ROLE_SCOPES } from '../../src/shared/operator.ts'
import { adminClient, expectError } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import {
  Browser,
  createFirstLoginToken,
  findOperator,
  inviteOperator,
  readChangesOf,
  signInOperator,
  signInThroughProvider,
  tokenOf,
} from '../support/operators.ts'
import { word } from '../support/scripted-provider.ts'
import { startServer, type TestServer } from '../support/server.ts'

const provider = await closeAfterAll(startOidcProvider())

describe('single sign-on of invited operators', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(provider.environment)
  })
  afterAll(() => server.close())
  const browser = () => new Browser(server.base)

  test('settings: show no problem while the provider responds', async () => {
    const { provider: shown } = await adminClient(server).get('/single-sign-on')
    expect(shown).toMatchObject({
      issuer: provider.environment.GATEHOUSE_OIDC_ISSUER,
      role_claim: null,
      roles: null,
      problem: null,
    })
  })

  test('methods: has the name of the provider', async () => {
    expect((await browser().get('/auth/gatehouse/methods')).body).toEqual({
      oidc: { name: 'Example ID' },
      needs_first_login: false,
    })
  })

  test('signs in with the role of the invitation, also the second time', async () => {
    const { email, id } = await inviteOperator(server, 'reviewer')
    provider.claims = { sub: word(), email, name: 'Ann' }
    for (const client of [browser(), browser()]) {
      expect(await signInThroughProvider(client)).toMatch(/\/dashboard\/reviews$/)
      expect((await client.session()).body.operator).toMatchObject({ id, email, role: 'reviewer' })
    }
    expect(await findOperator(server, id)).toMatchObject({ state: 'active' })
  })

  test('stores no token of the provider', async () => {
    const accounts = await server.context.database.pool.query("select * from operator_account where provider_id = 'oidc'")
    expect(accounts.rows.length).toBeGreaterThan(0)
    for (const { access_token, refresh_token, id_token } of accounts.rows)
      expect([access_token, refresh_token, id_token]).toEqual([null, null, null])
  })

  test('refuses users without invitation, and addresses that the provider has not verified', async () => {
    const client = browser()
    provider.claims = { sub: word(), email: 'stranger@example.com', name: 'Stranger' }
    expect(await signInThroughProvider(client)).toMatch(/\/dashboard\/sign-in\?error=signup_disabled/)
    const { email } = await inviteOperator(server, 'owner')
    provider.claims = { sub: word(), email, name: 'Not Ann', email_verified: false }
    expect(await signInThroughProvider(client)).toMatch(/\/dashboard\/sign-in\?error=account_not_linked/)
    expect((await client.session()).status).toBe(401)
  })

  test('refuses a token that the provider has not signed', async () => {
    const { email } = await inviteOperator(server, 'owner')
    provider.claims = { sub: word(), email, name: 'Ann' }
    provider.forged = true
    const client = browser()
    expect(await signInThroughProvider(client)).toMatch(/\/dashboard\/sign-in\?error=/)
    expect((await client.session()).status).toBe(401)
    provider.forged = false
  })

  test.each([
    ['no ID token, only an access token and a userinfo endpoint', { omitted: true }],
    ['another issuer', { iss: 'https://other.example' }],
    ['another audience', { aud: 'another-client' }],
    ['an older sign-in (nonce)', { nonce: 'of another sign-in' }],
    ['no nonce', { nonce: undefined }],
    ['the past (expired)', { exp: 1_000_000_000 }],
    ['the algorithm none', { unsigned: true }],
  ])('refuses when the provider returns %s', async (_what, idToken) => {
    const { email } = await inviteOperator(server, 'owner')
    provider.claims = { sub: word(), email, name: 'Ann' }
    provider.idToken = idToken
    onTestFinished(() => {
      provider.idToken = {}
    })
    const client = browser()
    expect(await signInThroughProvider(client)).toMatch(/\/dashboard\/sign-in\?error=/)
    expect((await client.session()).status).toBe(401)
  })

  test('refuses a callback that another browser has started', async () => {
    const { email } = await inviteOperator(server, 'owner')
    provider.claims = { sub: word(), email, name: 'Ann' }
    const started = await browser().post('/auth/sign-in/social', {
      provider: 'oidc',
      callbackURL: '/dashboard/',
      disableRedirect: true,
    })
    const redirect = await fetch(started.body.url, { redirect: 'manual' })
    const other = browser()
    await other.send('GET', redirect.headers.get('location') ?? '')
    expect((await other.session()).status).toBe(401)
  })

  test('refuses tokens and provider parameters from the browser', async () => {
    const parameters = {
      idToken: { token: 'a.b.c' },
      scopes: ['admin'],
      additionalParams: { prompt: 'none' },
      additionalData: { role: 'owner' },
      loginHint: 'x',
      requestSignUp: true,
    }
    for (const [name, value] of Object.entries(parameters))
      expectError(await browser().post('/auth/sign-in/social', { provider: 'oidc', [name]: value }), 'VALIDATION_ERROR', name)
    expectError(await browser().post('/auth/sign-in/social', { provider: 'github' }), 'VALIDATION_ERROR', 'provider')
  })

  test('callback: unknown parameters are neither logged nor a server error', async () => {
    for (const query of ['error=not-for-the-log', 'state=not-for-the-log&code=x', 'code=not-for-the-log&code=x'])
      await browser().get(`/auth/callback/oidc?${query}`)
    expect(server.logs()).not.toContain('not-for-the-log')
    expect(server.logs()).not.toContain('"level":50')
  })

  test('403 when the callback URL is on another site', async () => {
    const elsewhere = { provider: 'oidc', callbackURL: 'https://evil.example/' }
    expectError(await browser().post('/auth/sign-in/social', elsewhere), 'FORBIDDEN')
  })
})

describe('single sign-on with roles from a claim', () => {
  let server: TestServer
  beforeAll(async () => {
    const roles =
      'gatehouse-admins=owner,security=auditor,authors=policy_author,research=research:reviewer,gone=nowhere:owner,lab=research:owner'
    server = await startServer({ ...provider.environment, GATEHOUSE_OIDC_ROLE_CLAIM: 'groups', GATEHOUSE_OIDC_ROLES: roles })
  })
  afterAll(() => server.close())
  const browser = () => new Browser(server.base)
  /** A browser in which the user with these claims has signed in. */
  const signInAs = async (claims: Record<string, unknown>): Promise<Browser> => {
    provider.claims = claims
    const client = browser()
    await signInThroughProvider(client)
    return client
  }
  const roleOf = async (client: Browser) => (await client.session()).body.operator?.role

  test('signs in without invitation, and the role follows the claim', async () => {
    const [sub, email] = [word(), `${word()}@example.com`]
    const first = await signInAs({ sub, email, name: 'Ben', groups: ['staff', 'security', 'authors'] })
    expect(await roleOf(first)).toBe('policy_author')
    const second = await signInAs({ sub, email, name: 'Ben', groups: 'security' })
    expect(await roleOf(second)).toBe('auditor')
    expect((await first.session()).status).toBe(401)
    provider.claims = { sub, email, name: 'Ben', groups: ['staff'] }
    expect(await signInThroughProvider(browser())).toMatch(/\/dashboard\/sign-in\?error=no_role/)
    const { id } = await findOperator(server, email)
    const signIn = 'operator.sign_in by themselves'
    expect(await readChangesOf(server, id)).toEqual(['operator.create', signIn, 'operator.update', signIn, 'operator.suspend'])
  })

  test('gives roles in single Workspaces, and takes those that the claim no longer has [ADM-ROLE-7]', async () => {
    const admin = adminClient(server)
    const workspace = await admin.workspace('research')
    const [sub, email] = [word(), `${word()}@example.com`]
    const rolesAfterSignIn = async (groups: readonly string[]) => {
      const client = await signInAs({ sub, email, name: 'Rosa', groups })
      const { operator, workspaces } = (await client.session()).body
      return [operator.role, workspaces.find(({ id }: { id: string }) => id === workspace)?.role]
    }
    expect(await rolesAfterSignIn(['research'])).toEqual([null, 'reviewer'])
    expect(await rolesAfterSignIn(['research', 'lab'])).toEqual([null, 'owner'])
    expect(await rolesAfterSignIn(['security', 'research'])).toEqual(['auditor', 'reviewer'])
    const { workspace_roles } = await findOperator(server, email)
    expect(workspace_roles).toEqual([{ workspace_id: workspace, role: 'reviewer' }])
    const actions = (await admin.records(100, { workspace })).map(({ change }) => change?.action).toReversed()
    expect(actions).toEqual(expect.arrayContaining(['operator.create', 'operator.sign_in', 'operator.update']))
    provider.claims = { sub, email, name: 'Rosa', groups: ['gone'] }
    expect(await signInThroughProvider(browser())).toMatch(/error=no_role/)
  })

  test('a raised role removes a password that was chosen with the link of another operator [ADM-ROLE-7]', async () => {
    const { email, browser: inviter } = await signInOperator(server, 'read_only')
    const client = await signInAs({ sub: word(), email, name: 'Boss', groups: ['gatehouse-admins'] })
    expect(await roleOf(client)).toBe('owner')
    expect((await inviter.session()).status).toBe(401)
    expectError(await browser().signIn(email), 'AUTH_INVALID_KEY')
  })

  test('creates no operator for an unverified address', async () => {
    const email = `${word()}@example.com`
    provider.claims = { sub: word(), email, email_verified: false, name: 'Mallory', groups: ['gatehouse-admins'] }
    const client = browser()
    expect(await signInThroughProvider(client)).toMatch(/\/dashboard\/sign-in\?error=email_not_verified/)
    expect((await client.session()).status).toBe(401)
  })

  test('ends the link of the first login', async () => {
    const token = await createFirstLoginToken(server)
    const email = `${word()}@example.com`
    await signInAs({ sub: word(), email, name: 'Ben', groups: 'security' })
    expectError(await browser().post('/auth/gatehouse/invitation', { token }), 'NOT_FOUND')
  })

  test('creates no operator without a role in the claim', async () => {
    const email = `${word()}@example.com`
    provider.claims = { sub: word(), email, name: 'Eve', groups: ['gatehouse'] }
    expect(await signInThroughProvider(browser())).toMatch(/\/dashboard\/sign-in\?error=no_role/)
    expect(await findOperator(server, email)).toBeUndefined()
  })

  test('token issuers: tokens lose scopes and then end with sessions and invitations when the provider lowers and removes the role', async () => {
    const [sub, email] = [word(), `${word()}@example.com`]
    const admin = adminClient(server)
    const client = await signInAs({ sub, email, name: 'Ida', groups: ['gatehouse-admins'] })
    const { token } = (await client.post('/admin/v1/tokens', { name: 'of single sign-on' })).body
    const session = () => admin.send('GET', '/session', undefined, { token })
    expect((await session()).body.scopes).toContain('operators:write')
    const invite = { email: `${word()}@example.com`, name: 'A friend', role: 'owner' }
    const { url } = (await client.post('/admin/v1/operators', invite)).body

    const demoted = await signInAs({ sub, email, name: 'Ida', groups: ['security'] })
    expect((await session()).body.scopes.toSorted()).toEqual(ROLE_SCOPES.auditor.toSorted())
    expectError(await browser().post('/auth/gatehouse/invitation', { token: tokenOf(url) }), 'NOT_FOUND')

    provider.claims = { sub, email, name: 'Ida', groups: [] }
    expect(await signInThroughProvider(browser())).toMatch(/error=no_role/)
    expect((await demoted.session()).status).toBe(401)
    expectError(await session(), 'AUTH_KEY_REVOKED')
    expect(await findOperator(server, email)).toMatchObject({ state: 'suspended' })

    await signInAs({ sub, email, name: 'Ida', groups: ['gatehouse-admins'] })
    expect((await session()).body.scopes).toContain('operators:write')
  })

  test('the last owner keeps the role', async () => {
    const { email, id } = await signInOperator(server, 'owner')
    const admin = adminClient(server)
    const { data } = await admin.get('/operators?limit=100')
    for (const other of data) if (other.role === 'owner' && other.id !== id) await admin.remove(`/operators/${other.id}`)
    const client = await signInAs({ sub: word(), email, name: 'Olga', groups: ['security'] })
    expect(await roleOf(client)).toBe('owner')
  })
})
