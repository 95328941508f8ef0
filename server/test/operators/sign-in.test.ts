import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeExpiredSignIns } from '../../src/operators/expired-sign-ins.ts'
import { adminClient, refused } from '../admin/client.ts'
import { Browser, inviteOperator, PASSWORD, readChangesOf, signInOperator, totp } from '../support/operators.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(() => server.close())

/** Each from an address of its own. */
const browser = () => new Browser(server.base)

describe('signing in with a password', () => {
  test('opens a session; the cookie is out of reach for scripts and for other sites', async () => {
    const { email, id } = await signInOperator(server, 'auditor')
    const at = browser()
    const reply = await at.signIn(email.toUpperCase())
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.token).toBeUndefined()
    expect(reply.cookies).toHaveLength(1)
    expect(reply.cookies[0]).toMatch(/^gatehouse\.session_token=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    const { status, body } = await at.session()
    expect(status).toBe(200)
    expect(body.operator).toMatchObject({ id, email, role: 'auditor', kind: 'person', two_factor: false })
    expect(body.scopes).toContain('audit:write')
    expect(body.scopes).not.toContain('policies:write')
    expect(body.workspaces.map(({ name }: { name: string }) => name)).toContain('demo')
  })

  test('the owner of the demo signs in with what stands in demo.json', async () => {
    const { dashboard } = server.demo
    const at = browser()
    expect((await at.signIn(dashboard.email, dashboard.password)).status).toBe(200)
    expect((await at.session()).body.operator.role).toBe('owner')
  })

  test('a wrong password and an unknown address are refused alike', async () => {
    const { email } = await signInOperator(server, 'auditor')
    const [wrong, unknown] = [await browser().signIn(email, 'not the password'), await browser().signIn('nobody@example.com')]
    expect(refused(wrong, 'AUTH_INVALID_KEY')).toEqual(refused(unknown, 'AUTH_INVALID_KEY'))
    expect(wrong.cookies).toEqual([])
  })

  test('who was invited and has not come cannot sign in', async () => {
    const { email } = await inviteOperator(server, 'owner')
    refused(await browser().signIn(email), 'AUTH_INVALID_KEY')
  })

  test('nobody signs up, and nothing else of the library is open', async () => {
    for (const path of [
      '/sign-up/email',
      '/update-user',
      '/change-email',
      '/delete-user',
      '/link-social',
      '/reset-password',
      '/revoke-session',
    ])
      refused(await browser().post(`/auth${path}`, { email: 'a@example.com', password: PASSWORD, name: 'A' }), 'NOT_FOUND')
    for (const path of ['/get-session', '/list-sessions', '/callback/oidc?state=x', '/callback/github'])
      refused(await browser().get(`/auth${path}`), 'NOT_FOUND')
  })

  test('without a provider of identities there is no way to one', async () => {
    refused(await browser().post('/auth/sign-in/social', { provider: 'oidc' }), 'NOT_FOUND')
    refused(await browser().post('/auth/sign-in/social', { provider: 'not for the log' }), 'NOT_FOUND')
    expect(server.logs()).not.toContain('not for the log')
  })

  test('a password can be changed, by who knows the old one; other sessions end', async () => {
    const { email, browser: first } = await signInOperator(server, 'auditor')
    const second = browser()
    await second.signIn(email)
    const change = { currentPassword: 'not the password', newPassword: 'another horse battery' }
    refused(await second.post('/auth/change-password', change), 'VALIDATION_ERROR')
    const reply = await second.post('/auth/change-password', { ...change, currentPassword: PASSWORD })
    expect(reply.status, reply.text).toBe(200)
    expect((await second.session()).status).toBe(200)
    expect((await first.session()).status).toBe(401)
    refused(await browser().signIn(email), 'AUTH_INVALID_KEY')
    const third = browser()
    await third.signIn(email, change.newPassword)
    const back = { currentPassword: change.newPassword, newPassword: PASSWORD, revokeOtherSessions: false }
    refused(await third.post('/auth/change-password', back), 'VALIDATION_ERROR', 'revokeOtherSessions')
  })

  test('over https the cookie is for https only', async () => {
    const secure = await startServer({ GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' })
    try {
      const { email, password } = secure.demo.dashboard
      const at = new Browser(secure.base)
      const headers = { origin: 'https://gatehouse.example.com' }
      const reply = await at.send('POST', '/auth/sign-in/email', { email, password }, headers)
      expect(reply.cookies[0]).toMatch(/^__Secure-gatehouse\.session_token=.*; HttpOnly; Secure; SameSite=Lax$/)
      expect((await at.session()).status).toBe(200)
      // Under the name that a page without https can set, it opens nothing.
      const planted = { cookie: String(reply.cookies[0]).replace('__Secure-', '') }
      refused(await at.send('GET', '/admin/v1/session', undefined, planted), 'AUTH_INVALID_KEY')
      refused(await new Browser(secure.base).signIn(email, password), 'FORBIDDEN')
    } finally {
      await secure.close()
    }
  })
})

describe('a request that another site makes a browser send', () => {
  const OTHERS = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': null },
    { origin: null, 'sec-fetch-site': 'same-site' },
    { origin: null, 'sec-fetch-site': null },
  ]
  test('changes nothing with somebody’s cookie', async () => {
    const { browser: at } = await signInOperator(server, 'owner')
    for (const headers of OTHERS) {
      refused(await at.send('POST', '/admin/v1/workspaces', { name: 'theirs' }, headers), 'FORBIDDEN')
      refused(await at.send('POST', '/auth/sign-out', {}, headers), 'FORBIDDEN')
    }
    expect((await at.session()).status).toBe(200)
    expect((await at.send('POST', '/admin/v1/workspaces', {}, { 'sec-fetch-site': null })).status).toBe(400)
    expect((await at.send('POST', '/admin/v1/workspaces', {}, { origin: null })).status).toBe(400)
  })
  test('signs nobody in', async () => {
    const { email, password } = server.demo.dashboard
    for (const headers of OTHERS.slice(0, 4))
      refused(await browser().send('POST', '/auth/sign-in/email', { email, password }, headers), 'FORBIDDEN')
  })
  test('a token needs none of this: no browser sends it by itself', async () => {
    const headers = { authorization: `Bearer ${server.demo.admin_token}`, origin: 'https://evil.example' }
    expect((await browser().send('POST', '/admin/v1/workspaces', {}, headers)).status).toBe(400)
  })
})

describe('a second factor', () => {
  test('is on once its first code was right; then a password alone opens nothing', async () => {
    const { email, id, browser: at } = await signInOperator(server, 'reviewer')
    const before = browser()
    await before.signIn(email)
    refused(await at.post('/auth/two-factor/enable', { password: 'not the password' }), 'VALIDATION_ERROR')
    const { totpURI, backupCodes } = (await at.post('/auth/two-factor/enable', { password: PASSWORD })).body
    expect((await at.session()).body.operator.two_factor).toBe(false)
    refused(await at.post('/auth/two-factor/verify-totp', { code: wrongCode(totpURI) }), 'AUTH_INVALID_KEY')
    expect((await at.post('/auth/two-factor/verify-totp', { code: totp(totpURI) })).status).toBe(200)
    expect((await at.session()).body.operator.two_factor).toBe(true)
    expect((await before.session()).status).toBe(401)

    const next = browser()
    const lastSignIn = await signedInAt(id)
    const half = await next.signIn(email)
    expect(half.body).toMatchObject({ twoFactorRedirect: true })
    expect((await next.session()).status).toBe(401)
    expect(await signedInAt(id)).toBe(lastSignIn)
    refused(await next.post('/auth/two-factor/verify-totp', { code: wrongCode(totpURI) }), 'AUTH_INVALID_KEY')
    expect((await next.post('/auth/two-factor/verify-totp', { code: nextCode(totpURI) })).status).toBe(200)
    expect((await next.session()).status).toBe(200)
    expect(await signedInAt(id)).not.toBe(lastSignIn)

    const lost = browser()
    await lost.signIn(email)
    const [code] = backupCodes
    expect((await lost.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
    expect((await lost.session()).status).toBe(200)
    const again = browser()
    await again.signIn(email)
    refused(await again.post('/auth/two-factor/verify-backup-code', { code }), 'AUTH_INVALID_KEY')

    expect((await next.post('/auth/two-factor/generate-backup-codes', { password: PASSWORD })).status).toBe(200)
    expect((await next.post('/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200)
    const plain = browser()
    await plain.signIn(email)
    expect((await plain.session()).body.operator.two_factor).toBe(false)

    const did = ['accept', 'sign_in', 'sign_in', 'enable_second_factor', 'sign_in', 'sign_in', 'renew_backup_codes']
    const byThemselves = [...did, 'disable_second_factor', 'sign_in'].map((what) => `operator.${what} by themselves`)
    expect(await readChangesOf(server, id)).toEqual(['operator.invite', ...byThemselves])
  })

  test('takes each code once, also from who has looked over a shoulder', async () => {
    const { email, browser: at } = await signInOperator(server, 'reviewer')
    const { uri, code } = await turnOn(at)
    const [shoulder, own] = [browser(), browser()]
    await shoulder.signIn(email)
    refused(await shoulder.post('/auth/two-factor/verify-totp', { code }), 'AUTH_INVALID_KEY')
    expect((await shoulder.session()).status).toBe(401)
    await own.signIn(email)
    expect((await own.post('/auth/two-factor/verify-totp', { code: nextCode(uri) })).status).toBe(200)
  })

  test('is asked for each time: no browser is trusted', async () => {
    const { email, browser: at } = await signInOperator(server, 'reviewer')
    const { uri } = await turnOn(at)
    const next = browser()
    await next.signIn(email)
    const code = nextCode(uri)
    refused(await next.post('/auth/two-factor/verify-totp', { code, trustDevice: true }), 'VALIDATION_ERROR', 'trustDevice')
  })

  test('has to wait after ten wrong codes, which is recorded: whoever gives them knows the password', async () => {
    const { email, id, browser: at } = await signInOperator(server, 'reviewer')
    const { uri } = await turnOn(at)
    for (let i = 0; i < 3; i++) {
      const thief = browser()
      await thief.signIn(email)
      for (let j = 0; j < 5; j++) await thief.post('/auth/two-factor/verify-totp', { code: wrongCode(uri) })
    }
    const own = browser()
    await own.signIn(email)
    refused(await own.post('/auth/two-factor/verify-totp', { code: nextCode(uri) }), 'RATE_LIMITED')
    expect((await readChangesOf(server, id)).filter((event) => event.includes('lock'))).toEqual(['operator.lock'])
  })
})

/** Sets up a second factor; answers its secret, and the code that was used for it. */
async function turnOn(at: Browser): Promise<{ readonly uri: string; readonly code: string }> {
  const { totpURI: uri } = (await at.post('/auth/two-factor/enable', { password: PASSWORD })).body
  const code = totp(uri)
  expect((await at.post('/auth/two-factor/verify-totp', { code })).status).toBe(200)
  return { uri, code }
}

const signedInAt = async (id: string): Promise<string> => {
  const { data } = await adminClient(server).get('/operators?limit=100')
  return data.find((operator: { id: string }) => operator.id === id).last_signed_in_at
}

/** Right already, and for a minute yet. */
const nextCode = (uri: string): string => totp(uri, Date.now() + 30_000)

/** Right at no time near. */
const wrongCode = (uri: string): string => totp(uri, Date.now() - 7 * 86_400_000)

describe('too many attempts', () => {
  test('for one account: the right password waits too, from wherever it comes, and others are not concerned', async () => {
    const [one, other] = [await signInOperator(server, 'auditor'), await signInOperator(server, 'auditor')]
    for (let i = 0; i < 10; i++) await browser().signIn(one.email, 'not the password')
    const reply = await browser().signIn(one.email)
    refused(reply, 'RATE_LIMITED')
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await browser().signIn(other.email)).status).toBe(200)
    await browser().signIn(one.email)
    expect((await readChangesOf(server, one.id)).at(-1)).toBe('operator.lock')
    expect((await readChangesOf(server, one.id)).filter((event) => event.includes('lock'))).toHaveLength(1)
  })
  test('are forgotten an hour after they began, and not before', async () => {
    const { db, pool } = server.context.database
    const at = Date.now()
    const values = [at - 61 * 60_000, at - 59 * 60_000]
    await pool.query("insert into operator_rate_limit values ('old', 'old', 9, $1), ('young', 'young', 9, $2)", values)
    await removeExpiredSignIns(db, new Date(at))
    const { rows } = await pool.query("select key from operator_rate_limit where key in ('old', 'young')")
    expect(rows).toEqual([{ key: 'young' }])
  })
  test('from one address: whatever account is tried, also when the caller says that it asks for others', async () => {
    const own = await startServer()
    try {
      const statuses = []
      for (let i = 0; i < 70; i++) {
        const headers = { 'x-gatehouse-peer': `10.0.1.${i}` }
        // No address: refused before anything is hashed, which would take longer than the window.
        const body = { email: `nobody-${i}`, password: 'not the password' }
        statuses.push((await new Browser(own.base).send('POST', '/auth/sign-in/email', body, headers)).status)
      }
      expect(statuses.slice(0, 60)).toEqual(Array(60).fill(400))
      expect(statuses.slice(60)).toEqual(Array(10).fill(429))
      const { pool } = own.context.database
      const { rows } = await pool.query("select count(*)::int from operator_rate_limit where key like 'account:%'")
      expect(rows).toEqual([{ count: 60 }])
    } finally {
      await own.close()
    }
  })
})
