import { describe, expect, test } from 'vitest'
import { removeExpiredSignIns } from '../../src/domains/operators/attempt-store.ts'
import { expectError } from '../admin/client.ts'
import { closeAfterAll, closeAfterTest } from '../support/close-after-all.ts'
import {
  Browser,
  findOperator,
  inviteOperator,
  PASSWORD,
  readChangesOf,
  signInOperator,
  signInWithPassword,
  totp,
} from '../support/operators.ts'
import { startServer } from '../support/server.ts'

const server = await closeAfterAll(startServer({ GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' }))

/** A browser with an address of its own. */
const browser = () => new Browser(server.base)
const signedIn = (email: string, password?: string) => signInWithPassword(server, email, password)

describe('password sign-in', () => {
  test('opens a session, and its cookie is HttpOnly and SameSite=Lax', async () => {
    const { email, id } = await signInOperator(server, 'auditor')
    const client = browser()
    const response = await client.signIn(email.toUpperCase())
    expect(response.status, response.text).toBe(200)
    expect(response.body.token).toBeUndefined()
    expect(response.cookies).toHaveLength(1)
    expect(response.cookies[0]).toMatch(/^gatehouse\.session_token=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    const { status, body } = await client.session()
    expect(status).toBe(200)
    expect(body.operator).toMatchObject({ id, email, role: 'auditor', kind: 'person', two_factor: false })
    expect(body.scopes).toContain('audit:write')
    expect(body.scopes).not.toContain('policies:write')
    expect(body.workspaces.map(({ name }: { name: string }) => name)).toContain('demo')
  })

  test('the demo owner signs in with the credentials of demo.json', async () => {
    const { dashboard } = server.demo
    const client = browser()
    expect((await client.signIn(dashboard.email, dashboard.password)).status).toBe(200)
    expect((await client.session()).body.operator.role).toBe('owner')
  })

  test('a wrong password and an unknown address get the same error', async () => {
    const { email } = await signInOperator(server, 'auditor')
    const [wrong, unknown] = [await browser().signIn(email, 'not the password'), await browser().signIn('unknown@example.com')]
    expect(expectError(wrong, 'AUTH_INVALID_KEY')).toEqual(expectError(unknown, 'AUTH_INVALID_KEY'))
    expect(wrong.cookies).toEqual([])
  })

  test('401 when the operator has not accepted the invitation', async () => {
    const { email } = await inviteOperator(server, 'owner')
    expectError(await browser().signIn(email), 'AUTH_INVALID_KEY')
  })

  test('404 for sign-up and other routes of the library', async () => {
    for (const path of [
      '/sign-up/email',
      '/update-user',
      '/change-email',
      '/delete-user',
      '/link-social',
      '/reset-password',
      '/revoke-session',
    ])
      expectError(await browser().post(`/auth${path}`, { email: 'a@example.com', password: PASSWORD, name: 'A' }), 'NOT_FOUND')
    for (const path of ['/get-session', '/list-sessions', '/callback/oidc?state=x', '/callback/github'])
      expectError(await browser().get(`/auth${path}`), 'NOT_FOUND')
  })

  test('single sign-on: 404 when no identity provider is configured', async () => {
    expectError(await browser().post('/auth/sign-in/social', { provider: 'oidc' }), 'NOT_FOUND')
    expectError(await browser().post('/auth/sign-in/social', { provider: 'not for the log' }), 'NOT_FOUND')
    expect(server.logs()).not.toContain('not for the log')
  })

  test('change-password: needs the old password and ends other sessions', async () => {
    const { email, browser: first } = await signInOperator(server, 'auditor')
    const second = await signedIn(email)
    const change = { currentPassword: 'not the password', newPassword: 'another horse battery' }
    expectError(await second.post('/auth/change-password', change), 'VALIDATION_ERROR')
    const response = await second.post('/auth/change-password', { ...change, currentPassword: PASSWORD })
    expect(response.status, response.text).toBe(200)
    expect((await second.session()).status).toBe(200)
    expect((await first.session()).status).toBe(401)
    expectError(await browser().signIn(email), 'AUTH_INVALID_KEY')
    const third = await signedIn(email, change.newPassword)
    const back = { currentPassword: change.newPassword, newPassword: PASSWORD, revokeOtherSessions: false }
    expectError(await third.post('/auth/change-password', back), 'VALIDATION_ERROR', 'revokeOtherSessions')
  })

  test('cookie: Secure when the public URL is https', async () => {
    const env = { GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' }
    const secure = await closeAfterTest(startServer(env, { passwords: undefined }))
    const { email, password } = secure.demo.dashboard
    const client = new Browser(secure.base)
    const headers = { origin: 'https://gatehouse.example.com' }
    const response = await client.send('POST', '/auth/sign-in/email', { email, password }, headers)
    expect(response.cookies[0]).toMatch(/^__Secure-gatehouse\.session_token=.*; HttpOnly; Secure; SameSite=Lax$/)
    expect((await client.session()).status).toBe(200)
    // A page without https could set a cookie without the prefix, so it is not accepted.
    const planted = { cookie: String(response.cookies[0]).replace('__Secure-', '') }
    expectError(await client.send('GET', '/admin/v1/session', undefined, planted), 'AUTH_INVALID_KEY')
    expectError(await new Browser(secure.base).signIn(email, password), 'FORBIDDEN')
  })
})

describe('cross-site request of a browser', () => {
  const OTHERS = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': null },
    { origin: null, 'sec-fetch-site': 'same-site' },
    { origin: null, 'sec-fetch-site': null },
  ]
  test("403 with an operator's cookie", async () => {
    const { browser: client } = await signInOperator(server, 'owner')
    for (const headers of OTHERS) {
      expectError(await client.send('POST', '/admin/v1/workspaces', { name: 'foreign' }, headers), 'FORBIDDEN')
      expectError(await client.send('POST', '/auth/sign-out', {}, headers), 'FORBIDDEN')
    }
    expect((await client.session()).status).toBe(200)
    expect((await client.send('POST', '/admin/v1/workspaces', {}, { 'sec-fetch-site': null })).status).toBe(400)
    expect((await client.send('POST', '/admin/v1/workspaces', {}, { origin: null })).status).toBe(400)
  })
  test('403 for a sign-in', async () => {
    const { email, password } = server.demo.dashboard
    for (const headers of OTHERS.slice(0, 4))
      expectError(await browser().send('POST', '/auth/sign-in/email', { email, password }, headers), 'FORBIDDEN')
  })
  test('allowed with an admin token, because browsers do not send it automatically', async () => {
    const headers = { authorization: `Bearer ${server.demo.admin_token}`, origin: 'https://evil.example' }
    expect((await browser().send('POST', '/admin/v1/workspaces', {}, headers)).status).toBe(400)
  })
})

describe('second factor', () => {
  test('required after its first valid code: the password alone opens no session', async () => {
    const { email, id, browser: client } = await signInOperator(server, 'reviewer')
    const before = await signedIn(email)
    expectError(await client.post('/auth/two-factor/enable', { password: 'not the password' }), 'VALIDATION_ERROR')
    const { totpURI, backupCodes } = (await client.post('/auth/two-factor/enable', { password: PASSWORD })).body
    expect((await client.session()).body.operator.two_factor).toBe(false)
    expectError(await client.post('/auth/two-factor/verify-totp', { code: wrongCode(totpURI) }), 'AUTH_INVALID_KEY')
    expect((await client.post('/auth/two-factor/verify-totp', { code: totp(totpURI) })).status).toBe(200)
    expect((await client.session()).body.operator.two_factor).toBe(true)
    expect((await before.session()).status).toBe(401)

    const next = browser()
    const lastSignIn = await signedInAt(id)
    const passwordOnly = await next.signIn(email)
    expect(passwordOnly.body).toMatchObject({ twoFactorRedirect: true })
    expect((await next.session()).status).toBe(401)
    expect(await signedInAt(id)).toBe(lastSignIn)
    expectError(await next.post('/auth/two-factor/verify-totp', { code: wrongCode(totpURI) }), 'AUTH_INVALID_KEY')
    expect((await next.post('/auth/two-factor/verify-totp', { code: nextCode(totpURI) })).status).toBe(200)
    expect((await next.session()).status).toBe(200)
    expect(await signedInAt(id)).not.toBe(lastSignIn)

    const withBackupCode = await signedIn(email)
    const [code] = backupCodes
    expect((await withBackupCode.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
    expect((await withBackupCode.session()).status).toBe(200)
    const again = await signedIn(email)
    expectError(await again.post('/auth/two-factor/verify-backup-code', { code }), 'AUTH_INVALID_KEY')

    expect((await next.post('/auth/two-factor/generate-backup-codes', { password: PASSWORD })).status).toBe(200)
    expect((await next.post('/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200)
    const withoutFactor = await signedIn(email)
    expect((await withoutFactor.session()).body.operator.two_factor).toBe(false)

    const actions = ['accept', 'sign_in', 'sign_in', 'enable_second_factor', 'sign_in', 'sign_in', 'renew_backup_codes']
    const ownChanges = [...actions, 'disable_second_factor', 'sign_in'].map((action) => `operator.${action} by themselves`)
    expect(await readChangesOf(server, id)).toEqual(['operator.invite', ...ownChanges])
  })

  test('accepts each code once', async () => {
    const { email, browser: client } = await signInOperator(server, 'reviewer')
    const { uri, code } = await enableSecondFactor(client)
    const observer = await signedIn(email)
    expectError(await observer.post('/auth/two-factor/verify-totp', { code }), 'AUTH_INVALID_KEY')
    expect((await observer.session()).status).toBe(401)
    const own = await signedIn(email)
    expect((await own.post('/auth/two-factor/verify-totp', { code: nextCode(uri) })).status).toBe(200)
  })

  test('required at each sign-in: trustDevice is 400', async () => {
    const { email, browser: client } = await signInOperator(server, 'reviewer')
    const { uri } = await enableSecondFactor(client)
    const next = await signedIn(email)
    const code = nextCode(uri)
    expectError(await next.post('/auth/two-factor/verify-totp', { code, trustDevice: true }), 'VALIDATION_ERROR', 'trustDevice')
  })

  test('429 after ten wrong codes, and the lock is recorded', async () => {
    const { email, id, browser: client } = await signInOperator(server, 'reviewer')
    const { uri } = await enableSecondFactor(client)
    for (let i = 0; i < 3; i++) {
      const attacker = await signedIn(email)
      for (let j = 0; j < 5; j++) await attacker.post('/auth/two-factor/verify-totp', { code: wrongCode(uri) })
    }
    const own = await signedIn(email)
    expectError(await own.post('/auth/two-factor/verify-totp', { code: nextCode(uri) }), 'RATE_LIMITED')
    expect((await readChangesOf(server, id)).filter((event) => event.includes('lock'))).toEqual(['operator.lock'])
  })
})

/** Turns on a second factor; returns its URI and the code that confirmed it. */
async function enableSecondFactor(client: Browser): Promise<{ readonly uri: string; readonly code: string }> {
  const { totpURI: uri } = (await client.post('/auth/two-factor/enable', { password: PASSWORD })).body
  const code = totp(uri)
  expect((await client.post('/auth/two-factor/verify-totp', { code })).status).toBe(200)
  return { uri, code }
}

const signedInAt = async (id: string): Promise<string> => (await findOperator(server, id)).last_signed_in_at

/** The code of the next 30 seconds, which is already accepted. */
const nextCode = (uri: string): string => totp(uri, Date.now() + 30_000)

/** A code of last week. */
const wrongCode = (uri: string): string => totp(uri, Date.now() - 7 * 86_400_000)

describe('too many attempts', () => {
  test('for one account: 429 from every address, also with the right password, and other accounts are not affected', async () => {
    const [one, other] = [await signInOperator(server, 'auditor'), await signInOperator(server, 'auditor')]
    for (let i = 0; i < 10; i++) await browser().signIn(one.email, 'not the password')
    const response = await browser().signIn(one.email)
    expectError(response, 'RATE_LIMITED')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await browser().signIn(other.email)).status).toBe(200)
    await browser().signIn(one.email)
    expect((await readChangesOf(server, one.id)).at(-1)).toBe('operator.lock')
    expect((await readChangesOf(server, one.id)).filter((event) => event.includes('lock'))).toHaveLength(1)
  })
  test('counters are deleted one hour after their start', async () => {
    const { db, pool } = server.context.database
    const now = Date.now()
    const values = [now - 61 * 60_000, now - 59 * 60_000]
    await pool.query("insert into operator_rate_limit values ('old', 'old', 9, $1), ('young', 'young', 9, $2)", values)
    await removeExpiredSignIns(db, new Date(now))
    const { rows } = await pool.query("select key from operator_rate_limit where key in ('old', 'young')")
    expect(rows).toEqual([{ key: 'young' }])
  })
  test('from one address: 429 for every account, also with a forged x-gatehouse-peer header', async () => {
    const own = await closeAfterTest(startServer())
    const statuses = []
    for (let i = 0; i < 70; i++) {
      const headers = { 'x-gatehouse-peer': `10.0.1.${i}` }
      // Not an e-mail address, so it is refused before the slow password hash.
      const body = { email: `unknown-${i}`, password: 'not the password' }
      statuses.push((await new Browser(own.base).send('POST', '/auth/sign-in/email', body, headers)).status)
    }
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(400))
    expect(statuses.slice(60)).toEqual(Array(10).fill(429))
    const { pool } = own.context.database
    const { rows } = await pool.query("select count(*)::int from operator_rate_limit where key like 'account:%'")
    expect(rows).toEqual([{ count: 60 }])
  })
})
