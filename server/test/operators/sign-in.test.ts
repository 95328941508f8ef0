import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../admin/client.ts'
import { Browser, invited, PASSWORD, signedIn, totp } from '../support/operators.ts'
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
    const { email, id } = await signedIn(server, 'auditor')
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
    const { email } = await signedIn(server, 'auditor')
    const [wrong, unknown] = [await browser().signIn(email, 'not the password'), await browser().signIn('nobody@example.com')]
    expect(refused(wrong, 'AUTH_INVALID_KEY')).toEqual(refused(unknown, 'AUTH_INVALID_KEY'))
    expect(wrong.cookies).toEqual([])
  })

  test('who was invited and has not come cannot sign in', async () => {
    const { email } = await invited(server, 'owner')
    refused(await browser().signIn(email), 'AUTH_INVALID_KEY')
  })

  test('nobody signs up, and nothing else of the library is open', async () => {
    for (const path of ['/sign-up/email', '/update-user', '/change-email', '/delete-user', '/link-social', '/reset-password'])
      refused(await browser().post(`/auth${path}`, { email: 'a@example.com', password: PASSWORD, name: 'A' }), 'NOT_FOUND')
    refused(await browser().get('/auth/get-session'), 'NOT_FOUND')
  })

  test('a password can be changed, by who knows the old one; other sessions end', async () => {
    const { email, browser: first } = await signedIn(server, 'auditor')
    const second = browser()
    await second.signIn(email)
    const change = { currentPassword: 'not the password', newPassword: 'another horse battery', revokeOtherSessions: true }
    refused(await second.post('/auth/change-password', change), 'VALIDATION_ERROR')
    const reply = await second.post('/auth/change-password', { ...change, currentPassword: PASSWORD })
    expect(reply.status, reply.text).toBe(200)
    expect((await second.session()).status).toBe(200)
    expect((await first.session()).status).toBe(401)
    refused(await browser().signIn(email), 'AUTH_INVALID_KEY')
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
    const { browser: at } = await signedIn(server, 'owner')
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
    const { email, browser: at } = await signedIn(server, 'reviewer')
    refused(await at.post('/auth/two-factor/enable', { password: 'not the password' }), 'VALIDATION_ERROR')
    const { totpURI, backupCodes } = (await at.post('/auth/two-factor/enable', { password: PASSWORD })).body
    expect((await at.session()).body.operator.two_factor).toBe(false)
    refused(await at.post('/auth/two-factor/verify-totp', { code: wrongCode(totpURI) }), 'AUTH_INVALID_KEY')
    expect((await at.post('/auth/two-factor/verify-totp', { code: totp(totpURI) })).status).toBe(200)
    expect((await at.session()).body.operator.two_factor).toBe(true)

    const next = browser()
    const half = await next.signIn(email)
    expect(half.body).toMatchObject({ twoFactorRedirect: true })
    expect((await next.session()).status).toBe(401)
    refused(await next.post('/auth/two-factor/verify-totp', { code: wrongCode(totpURI) }), 'AUTH_INVALID_KEY')
    expect((await next.post('/auth/two-factor/verify-totp', { code: totp(totpURI) })).status).toBe(200)
    expect((await next.session()).status).toBe(200)

    const lost = browser()
    await lost.signIn(email)
    const [code] = backupCodes
    expect((await lost.post('/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
    expect((await lost.session()).status).toBe(200)
    const again = browser()
    await again.signIn(email)
    refused(await again.post('/auth/two-factor/verify-backup-code', { code }), 'AUTH_INVALID_KEY')

    expect((await next.post('/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200)
    const plain = browser()
    await plain.signIn(email)
    expect((await plain.session()).body.operator.two_factor).toBe(false)
  })
})

/** Right at no time near. */
const wrongCode = (uri: string): string => totp(uri, Date.now() - 7 * 86_400_000)

describe('too many attempts', () => {
  test('for one account: the right password waits too, from wherever it comes, and others are not concerned', async () => {
    const [one, other] = [await signedIn(server, 'auditor'), await signedIn(server, 'auditor')]
    for (let i = 0; i < 10; i++) await browser().signIn(one.email, 'not the password')
    const reply = await browser().signIn(one.email)
    refused(reply, 'RATE_LIMITED')
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await browser().signIn(other.email)).status).toBe(200)
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
    } finally {
      await own.close()
    }
  })
})
