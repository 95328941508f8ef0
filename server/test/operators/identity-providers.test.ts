import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { adminClient, expectError } from '../admin/client.ts'
import { type OidcFixture, startOidcProvider } from '../support/oidc-provider.ts'
import { Browser, inviteOperator, signInThroughProvider } from '../support/operators.ts'
import { word } from '../support/scripted-provider.ts'
import { startServer, type TestServer } from '../support/server.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/guides/single-sign-on.md'), 'utf8')

/** The settings of a section of the guide, and those of its variant. */
function settingsOf(heading: string): Record<string, string>[] {
  const [, section = ''] = GUIDE.split(`\n## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  return [...text.matchAll(/^```ini\n([\s\S]*?)^```/gm)].map(([, block = '']) =>
    Object.fromEntries(
      block.split('\n').flatMap((line) => (line === '' ? [] : [[line.slice(0, line.indexOf('=')), readValue(line)]])),
    ),
  )
}
const readValue = (line: string): string => line.slice(line.indexOf('=') + 1)

/** Starts a provider at the path of the guide's issuer, and a server with the guide's settings. */
async function startWith(settings: Readonly<Record<string, string>>) {
  const { pathname } = new URL(settings.GATEHOUSE_OIDC_ISSUER ?? '')
  const provider = await startOidcProvider(pathname === '/' ? '' : pathname)
  const { GATEHOUSE_PUBLIC_URL: _, ...others } = settings
  const { GATEHOUSE_OIDC_NAME: __, ...client } = provider.environment
  const server = await startServer({ ...others, ...client })
  return { provider, server }
}

type Claims = Record<string, unknown>
interface Case {
  readonly heading: string
  readonly variant?: boolean
  /** Claims that the product documents for a user with these roles, in the order owner and reviewer. */
  readonly ownerAndReviewer: Claims
  readonly withoutRole: Claims
  readonly unverified: Claims
  readonly thin?: boolean
}

const ENTRA_USER = {
  oid: word(),
  tid: 'TENANT_ID',
  ver: '2.0',
  preferred_username: 'ann@acme.example',
  email_verified: undefined,
}
const OKTA_USER = { ver: 1, idp: '00o1', amr: ['pwd'], preferred_username: 'ann@acme.example' }
const KEYCLOAK_USER = { typ: 'ID', azp: 'gatehouse', acr: '1', preferred_username: 'ann', sid: word() }
/** A user in more than 200 groups. */
const OVERAGE = {
  _claim_names: { groups: 'src1' },
  _claim_sources: { src1: { endpoint: 'https://graph.example/getMemberObjects' } },
}

const CASES: readonly Case[] = [
  {
    heading: 'Microsoft Entra ID',
    ownerAndReviewer: { ...ENTRA_USER, xms_edov: true, roles: ['owner', 'reviewer'] },
    withoutRole: { ...ENTRA_USER, ...OVERAGE, xms_edov: '1' },
    unverified: { ...ENTRA_USER, xms_edov: false, roles: ['owner'] },
  },
  {
    heading: 'Okta',
    thin: true,
    ownerAndReviewer: { ...OKTA_USER, groups: ['gatehouse-admins', 'gatehouse-reviewers'] },
    withoutRole: { ...OKTA_USER, groups: ['Everyone'] },
    unverified: { ...OKTA_USER, email_verified: false, groups: ['gatehouse-admins'] },
  },
  {
    heading: 'Okta',
    variant: true,
    ownerAndReviewer: { ...OKTA_USER, groups: ['Everyone', 'gatehouse-reviewers', 'gatehouse-admins'] },
    withoutRole: OKTA_USER,
    unverified: { ...OKTA_USER, email_verified: false, groups: ['gatehouse-admins'] },
  },
  {
    heading: 'Keycloak',
    ownerAndReviewer: { ...KEYCLOAK_USER, groups: ['/staff', '/gatehouse/admins', '/gatehouse/reviewers'] },
    withoutRole: { ...KEYCLOAK_USER, groups: ['gatehouse/admins'] },
    unverified: { ...KEYCLOAK_USER, email_verified: false, groups: ['/gatehouse/admins'] },
  },
  {
    heading: 'Keycloak',
    variant: true,
    ownerAndReviewer: { ...KEYCLOAK_USER, realm_access: { roles: ['offline_access', 'gatehouse-admin', 'gatehouse-reviewer'] } },
    withoutRole: { ...KEYCLOAK_USER, realm_access: { roles: ['default-roles-acme'] } },
    unverified: { ...KEYCLOAK_USER, email_verified: false, realm_access: { roles: ['gatehouse-admin'] } },
  },
]

describe.each(CASES)(
  'docs/guides/single-sign-on.md: $heading (variant: $variant)',
  ({ heading, variant, thin = false, ...claims }) => {
    let provider: OidcFixture
    let server: TestServer
    const person = (of: Claims) => ({ sub: word(), email: `${word()}@acme.example`, name: 'Ann', ...of })
    beforeAll(async () => {
      const [settings, changes] = settingsOf(heading)
      ;({ provider, server } = await startWith({ ...settings, ...(variant && changes) }))
      provider.idToken = { thin }
    })
    afterEach(() => {
      provider.idToken = { thin }
    })
    afterAll(async () => {
      await server.close()
      await provider.close()
    })

    test('a user with two roles signs in, and the higher one applies', async () => {
      const browser = new Browser(server.base)
      provider.claims = person(claims.ownerAndReviewer)
      expect(await signInThroughProvider(browser)).toMatch(/\/dashboard\/reviews$/)
      expect((await browser.session()).body.operator).toMatchObject({ name: 'Ann', role: 'owner' })
    })

    test('a user without a role, and one whose address is not verified, cannot sign in', async () => {
      for (const [user, error] of [
        [claims.withoutRole, 'no_role'],
        [claims.unverified, 'email_not_verified'],
      ] as const) {
        const browser = new Browser(server.base)
        provider.claims = person(user)
        expect(await signInThroughProvider(browser)).toMatch(new RegExp(`/dashboard/sign-in\\?error=${error}`))
        expect((await browser.session()).status).toBe(401)
      }
    })

    test('a user without an address cannot sign in, and the guide names the error', async () => {
      provider.claims = { ...person(claims.ownerAndReviewer), email: undefined }
      const [, error = 'none'] = /error=(\w+)/.exec(await signInThroughProvider(new Browser(server.base))) ?? []
      expect(GUIDE).toContain(`| \`${error}\` |`)
    })

    test('an invited operator is linked only by a verified address', async () => {
      const { email } = await inviteOperator(server, 'auditor')
      const browser = new Browser(server.base)
      provider.claims = { ...person(claims.unverified), email }
      expect(await signInThroughProvider(browser)).toMatch(/error=account_not_linked/)
      provider.claims = { ...person(claims.ownerAndReviewer), email }
      await signInThroughProvider(browser)
      expect((await browser.session()).body.operator).toMatchObject({ email, role: 'owner' })
    })
  },
)

describe('single sign-on whose provider does not respond', () => {
  const environment = {
    GATEHOUSE_OIDC_ISSUER: 'http://127.0.0.1:1',
    GATEHOUSE_OIDC_CLIENT_ID: 'gatehouse',
    GATEHOUSE_OIDC_CLIENT_SECRET: 'the secret of the client',
    GATEHOUSE_OIDC_NAME: 'Example ID',
    GATEHOUSE_OIDC_ROLE_CLAIM: 'groups',
    GATEHOUSE_OIDC_ROLES: 'admins=owner,lab=research:reviewer',
  }
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(environment)
  })
  afterAll(() => server.close())

  test('start: warns in the log, and the server is ready with a degraded check', async () => {
    await server.announce()
    await expect.poll(server.logs).toContain('single sign-on does not work: The issuer does not respond.')
    const response = await fetch(`${server.base}/readyz`)
    const { checks } = (await response.json()) as { checks: { name: string }[] }
    expect(response.status).toBe(200)
    expect(checks.find(({ name }) => name === 'identity_provider')).toEqual({
      name: 'identity_provider',
      status: 'degraded',
      message: 'The identity provider for single sign-on does not respond as it should.',
    })
  })

  test('503 names the provider and the other way when a sign-in starts', async () => {
    const started = await new Browser(server.base).post('/auth/sign-in/social', { provider: 'oidc' })
    expectError(started, 'UNAVAILABLE')
    expect(started.body.error.message).toBe('Example ID does not respond. Sign in with a password, or try again.')
  })

  test('settings: shows how it is set up and the problem, and never the secret', async () => {
    const { status, body, text } = await adminClient(server).send('GET', '/single-sign-on')
    expect([status, body.provider]).toEqual([
      200,
      {
        name: 'Example ID',
        issuer: 'http://127.0.0.1:1',
        client_id: 'gatehouse',
        scopes: ['openid', 'profile', 'email'],
        verified_claim: 'email_verified',
        role_claim: 'groups',
        roles: [
          { value: 'admins', role: 'owner', workspace: null },
          { value: 'lab', role: 'reviewer', workspace: 'research' },
        ],
        problem: 'The issuer does not respond.',
      },
    ])
    expect(text).not.toContain(environment.GATEHOUSE_OIDC_CLIENT_SECRET)
  })
})
