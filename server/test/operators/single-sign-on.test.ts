import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLE_SCOPES } from '../../src/domain/roles.ts'
import { adminClient, refused } from '../admin/client.ts'
import { type OidcFixture, startOidcProvider } from '../support/oidc-provider.ts'
import { Browser, createFirstLoginToken, inviteOperator, readChangesOf, signInOperator, tokenOf } from '../support/operators.ts'
import { word } from '../support/scripted-provider.ts'
import { startServer, type TestServer } from '../support/server.ts'

let provider: OidcFixture
beforeAll(async () => {
  provider = await startOidcProvider()
})
afterAll(() => provider.close())

/** Goes to the provider and back; answers where the browser ends up. */
async function through(at: Browser): Promise<string> {
  const begun = await at.post('/auth/sign-in/social', {
    provider: 'oidc',
    callbackURL: '/dashboard/reviews',
    errorCallbackURL: '/dashboard/sign-in',
    disableRedirect: true,
  })
  expect(begun.status, begun.text).toBe(200)
  const back = await fetch(begun.body.url, { redirect: 'manual' })
  const headers = { 'sec-fetch-site': 'cross-site', origin: null }
  const done = await at.send('GET', back.headers.get('location') ?? '', undefined, headers)
  expect(done.status, done.text).toBe(302)
  return done.headers.get('location') ?? ''
}

describe('single sign-on for people who have been invited', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(provider.environment)
  })
  afterAll(() => server.close())
  const browser = () => new Browser(server.base)

  test('the sign-in page learns of it', async () => {
    expect((await browser().get('/auth/gatehouse/methods')).body).toEqual({ oidc: { name: 'Example ID' } })
  })

  test('lets them in with the role they were invited in, and finds them again', async () => {
    const { email, id } = await inviteOperator(server, 'reviewer')
    provider.claims = { sub: word(), email, name: 'Ann' }
    for (const at of [browser(), browser()]) {
      expect(await through(at)).toMatch(/\/dashboard\/reviews$/)
      expect((await at.session()).body.operator).toMatchObject({ id, email, role: 'reviewer' })
    }
    const { data } = await adminClient(server).get('/operators?limit=100')
    expect(data.find((operator: { id: string }) => operator.id === id)).toMatchObject({ state: 'active' })
  })

  test('keeps none of the provider’s tokens', async () => {
    const accounts = await server.context.database.pool.query("select * from operator_account where provider_id = 'oidc'")
    expect(accounts.rows.length).toBeGreaterThan(0)
    for (const { access_token, refresh_token, id_token } of accounts.rows)
      expect([access_token, refresh_token, id_token]).toEqual([null, null, null])
  })

  test('nobody else comes in, and nobody with an address that the provider has not checked', async () => {
    const at = browser()
    provider.claims = { sub: word(), email: 'stranger@example.com', name: 'Stranger' }
    expect(await through(at)).toMatch(/\/dashboard\/sign-in\?error=signup_disabled/)
    const { email } = await inviteOperator(server, 'owner')
    provider.claims = { sub: word(), email, name: 'Not Ann', email_verified: false }
    expect(await through(at)).toMatch(/\/dashboard\/sign-in\?error=account_not_linked/)
    expect((await at.session()).status).toBe(401)
  })

  test('a token that the provider has not signed opens nothing', async () => {
    const { email } = await inviteOperator(server, 'owner')
    provider.claims = { sub: word(), email, name: 'Ann' }
    provider.forged = true
    const at = browser()
    expect(await through(at)).toMatch(/\/dashboard\/sign-in\?error=/)
    expect((await at.session()).status).toBe(401)
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
  ])('single sign-on: it is refused when the provider answers with %s', async (_what, idToken) => {
    const { email } = await inviteOperator(server, 'owner')
    provider.claims = { sub: word(), email, name: 'Ann' }
    provider.idToken = idToken
    try {
      const at = browser()
      expect(await through(at)).toMatch(/\/dashboard\/sign-in\?error=/)
      expect((await at.session()).status).toBe(401)
    } finally {
      provider.idToken = {}
    }
  })

  test('a way back that another browser began opens nothing', async () => {
    const { email } = await inviteOperator(server, 'owner')
    provider.claims = { sub: word(), email, name: 'Ann' }
    const begun = await browser().post('/auth/sign-in/social', {
      provider: 'oidc',
      callbackURL: '/dashboard/',
      disableRedirect: true,
    })
    const back = await fetch(begun.body.url, { redirect: 'manual' })
    const victim = browser()
    await victim.send('GET', back.headers.get('location') ?? '')
    expect((await victim.session()).status).toBe(401)
  })

  test('a token that the browser brings itself opens nothing, nor does it say what is asked of the provider', async () => {
    const brought = {
      idToken: { token: 'a.b.c' },
      scopes: ['admin'],
      additionalParams: { prompt: 'none' },
      additionalData: { role: 'owner' },
      loginHint: 'x',
      requestSignUp: true,
    }
    for (const [name, value] of Object.entries(brought))
      refused(await browser().post('/auth/sign-in/social', { provider: 'oidc', [name]: value }), 'VALIDATION_ERROR', name)
    refused(await browser().post('/auth/sign-in/social', { provider: 'github' }), 'VALIDATION_ERROR', 'provider')
  })

  test('what strangers send on the way back is no error of the server’s, and not in its log', async () => {
    for (const query of ['error=not-for-the-log', 'state=not-for-the-log&code=x', 'code=not-for-the-log&code=x'])
      await browser().get(`/auth/callback/oidc?${query}`)
    expect(server.logs()).not.toContain('not-for-the-log')
    expect(server.logs()).not.toContain('"level":50')
  })

  test('leads back to pages of this server only', async () => {
    const elsewhere = { provider: 'oidc', callbackURL: 'https://evil.example/' }
    refused(await browser().post('/auth/sign-in/social', elsewhere), 'FORBIDDEN')
  })
})

describe('single sign-on where a claim says what people may', () => {
  let server: TestServer
  beforeAll(async () => {
    const roles = 'gatehouse-admins=owner,security=auditor,authors=policy_author'
    server = await startServer({ ...provider.environment, GATEHOUSE_OIDC_ROLE_CLAIM: 'groups', GATEHOUSE_OIDC_ROLES: roles })
  })
  afterAll(() => server.close())
  const browser = () => new Browser(server.base)
  const roleOf = async (at: Browser) => (await at.session()).body.operator?.role

  test('lets them in uninvited, and follows what it says from then on', async () => {
    const [sub, email] = [word(), `${word()}@example.com`]
    provider.claims = { sub, email, name: 'Ben', groups: ['staff', 'security', 'authors'] }
    const first = browser()
    await through(first)
    expect(await roleOf(first)).toBe('policy_author')
    provider.claims = { sub, email, name: 'Ben', groups: 'security' }
    const second = browser()
    await through(second)
    expect(await roleOf(second)).toBe('auditor')
    expect((await first.session()).status).toBe(401)
    provider.claims = { sub, email, name: 'Ben', groups: ['staff'] }
    expect(await through(browser())).toMatch(/\/dashboard\/sign-in\?error=no_role/)
    const { data } = await adminClient(server).get('/operators?limit=100')
    const { id } = data.find((operator: { email: string }) => operator.email === email)
    const signIn = 'operator.sign_in by themselves'
    expect(await readChangesOf(server, id)).toEqual(['operator.create', signIn, 'operator.update', signIn, 'operator.suspend'])
  })

  test('makes nobody of an address that the provider has not checked', async () => {
    const email = `${word()}@example.com`
    provider.claims = { sub: word(), email, email_verified: false, name: 'Mallory', groups: ['gatehouse-admins'] }
    const at = browser()
    expect(await through(at)).toMatch(/\/dashboard\/sign-in\?error=email_not_verified/)
    expect((await at.session()).status).toBe(401)
  })

  test('closes the link of the first login, as whoever comes first does', async () => {
    const token = await createFirstLoginToken(server)
    const email = `${word()}@example.com`
    provider.claims = { sub: word(), email, name: 'Ben', groups: 'security' }
    await through(browser())
    refused(await browser().post('/auth/gatehouse/invitation', { token }), 'NOT_FOUND')
  })

  test('who has no role there is nobody here', async () => {
    const email = `${word()}@example.com`
    provider.claims = { sub: word(), email, name: 'Eve', groups: ['gatehouse'] }
    expect(await through(browser())).toMatch(/\/dashboard\/sign-in\?error=no_role/)
    const { data } = await adminClient(server).get('/operators?limit=100')
    expect(data.map((operator: { email: string }) => operator.email)).not.toContain(email)
  })

  test('token issuers: a role that the provider takes away shrinks and ends admin tokens, sessions and invitations', async () => {
    const [sub, email] = [word(), `${word()}@example.com`]
    const admin = adminClient(server)
    provider.claims = { sub, email, name: 'Ida', groups: ['gatehouse-admins'] }
    const at = browser()
    await through(at)
    const { token } = (await at.post('/admin/v1/tokens', { name: 'of single sign-on' })).body
    const session = () => admin.send('GET', '/session', undefined, { token })
    expect((await session()).body.scopes).toContain('operators:write')
    const invite = { email: `${word()}@example.com`, name: 'A friend', role: 'owner' }
    const { url } = (await at.post('/admin/v1/operators', invite)).body

    provider.claims = { sub, email, name: 'Ida', groups: ['security'] }
    const demoted = browser()
    await through(demoted)
    expect((await session()).body.scopes.toSorted()).toEqual(ROLE_SCOPES.auditor.toSorted())
    refused(await browser().post('/auth/gatehouse/invitation', { token: tokenOf(url) }), 'NOT_FOUND')

    provider.claims = { sub, email, name: 'Ida', groups: [] }
    expect(await through(browser())).toMatch(/error=no_role/)
    expect((await demoted.session()).status).toBe(401)
    refused(await session(), 'AUTH_KEY_REVOKED')
    const { data } = await admin.get('/operators?limit=100')
    expect(data.find((operator: { email: string }) => operator.email === email)).toMatchObject({ state: 'suspended' })

    provider.claims = { sub, email, name: 'Ida', groups: ['gatehouse-admins'] }
    await through(browser())
    expect((await session()).body.scopes).toContain('operators:write')
  })

  test('does not take the role from the last owner', async () => {
    const { email, id } = await signInOperator(server, 'owner')
    const admin = adminClient(server)
    const { data } = await admin.get('/operators?limit=100')
    for (const other of data) if (other.role === 'owner' && other.id !== id) await admin.remove(`/operators/${other.id}`)
    provider.claims = { sub: word(), email, name: 'Olga', groups: ['security'] }
    const at = browser()
    await through(at)
    expect(await roleOf(at)).toBe('owner')
  })
})
