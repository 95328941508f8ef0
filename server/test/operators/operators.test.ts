import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { SCOPES } from '../../src/domain/scope.ts'
import { adminClient, refused } from '../admin/client.ts'
import { Browser, createFirstLoginToken, inviteOperator, PASSWORD, signInOperator, tokenOf } from '../support/operators.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const admin = () => adminClient(server)
const browser = () => new Browser(server.base)

describe('an invitation', () => {
  test('says whom it is for, opens once, and signs in', async () => {
    const { token, email, id } = await inviteOperator(server, 'auditor')
    expect((await browser().post('/auth/gatehouse/invitation', { token })).body).toEqual({ email, name: 'A auditor' })
    const at = browser()
    expect((await at.post('/auth/gatehouse/accept', { token, password: PASSWORD, name: 'Ann' })).status).toBe(200)
    expect((await at.session()).body.operator).toMatchObject({ id, email, name: 'Ann', role: 'auditor' })
    refused(await browser().post('/auth/gatehouse/accept', { token, password: 'another horse battery' }), 'NOT_FOUND')
    refused(await browser().post('/auth/gatehouse/invitation', { token }), 'NOT_FOUND')
    expect((await browser().signIn(email)).status).toBe(200)
  })

  test('of two who open it at once, one comes in', async () => {
    const { token } = await inviteOperator(server, 'auditor')
    const accept = (password: string) => browser().post('/auth/gatehouse/accept', { token, password })
    const replies = await Promise.all([accept('first horse battery'), accept('second horse battery')])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404])
  })

  test('a short password does not use it up', async () => {
    const { token } = await inviteOperator(server, 'auditor')
    expect(refused(await browser().post('/auth/gatehouse/accept', { token, password: 'short' }), 'VALIDATION_ERROR').param).toBe(
      'password',
    )
    expect((await browser().post('/auth/gatehouse/accept', { token, password: PASSWORD })).status).toBe(200)
  })

  test('is too old after a week', async () => {
    const { token, id } = await inviteOperator(server, 'auditor')
    const { pool } = server.context.database
    const { rows } = await pool.query('select expires_at - created_at as age from operator_invitation where operator_id = $1', [
      id,
    ])
    expect(rows[0].age.days).toBe(7)
    await pool.query("update operator_invitation set expires_at = now() - interval '1 second' where operator_id = $1", [id])
    refused(await browser().post('/auth/gatehouse/accept', { token, password: PASSWORD }), 'NOT_FOUND')
  })

  test('a new one resets password, second factor and sessions; the older link is closed, the older password until then is not', async () => {
    const { id, email, browser: at } = await signInOperator(server, 'auditor')
    const [older, newer] = [
      await admin().create(`/operators/${id}/invitation`),
      await admin().create(`/operators/${id}/invitation`),
    ]
    expect((await browser().signIn(email)).status).toBe(200)
    refused(await browser().post('/auth/gatehouse/accept', { token: tokenOf(older.url), password: PASSWORD }), 'NOT_FOUND')
    const acceptance = { token: tokenOf(newer.url), password: 'another horse battery' }
    expect((await browser().post('/auth/gatehouse/accept', acceptance)).status).toBe(200)
    expect((await at.session()).status).toBe(401)
    refused(await browser().signIn(email), 'AUTH_INVALID_KEY')
  })

  test('is closed by a new role: it was made for the old one', async () => {
    const { id, email } = await signInOperator(server, 'read_only')
    const { url } = await admin().create(`/operators/${id}/invitation`)
    await admin().patch(`/operators/${id}`, { role: 'owner' })
    refused(await browser().post('/auth/gatehouse/accept', { token: tokenOf(url), password: 'the thief battery' }), 'NOT_FOUND')
    expect((await browser().signIn(email)).status).toBe(200)
  })

  test('ends what was begun with the password before it: sign-ins under way, and trust in browsers', async () => {
    const { id, email } = await signInOperator(server, 'auditor')
    const { pool } = server.context.database
    await pool.query(
      "insert into operator_verification select 'aut_old', 'trust-device-x', $1, now() + interval '1 day', now(), now()",
      [id],
    )
    const { url } = await admin().create(`/operators/${id}/invitation`)
    const acceptance = { token: tokenOf(url), password: 'another horse battery' }
    expect((await browser().post('/auth/gatehouse/accept', acceptance)).body.user.email).toBe(email)
    expect((await pool.query('select id from operator_verification where value = $1', [id])).rows).toEqual([])
  })

  test('the first login’s makes no owner once there is somebody, and closes when somebody comes another way', async () => {
    const acceptance = { name: 'Eve', email: 'eve@example.com', password: PASSWORD }
    const late = await createFirstLoginToken(server)
    refused(await browser().post('/auth/gatehouse/accept', { token: late, ...acceptance }), 'NOT_FOUND')
    refused(await browser().signIn(acceptance.email), 'AUTH_INVALID_KEY')
    const token = await createFirstLoginToken(server)
    await inviteOperator(server, 'auditor')
    refused(await browser().post('/auth/gatehouse/invitation', { token }), 'NOT_FOUND')
  })

  test('an address is invited once', async () => {
    const { email } = await inviteOperator(server, 'auditor')
    const again = await admin().send('POST', '/operators', { email: email.toUpperCase(), name: 'Twice', role: 'owner' })
    refused(again, 'CONFLICT', 'email')
  })
})

describe('a session', () => {
  test('ends with signing out', async () => {
    const { browser: at } = await signInOperator(server, 'auditor')
    const thief = at.copy()
    expect((await at.post('/auth/sign-out')).status).toBe(200)
    expect((await thief.session()).status).toBe(401)
  })

  test('ends with a new role, and with removal', async () => {
    const { id, browser: at, email } = await signInOperator(server, 'auditor')
    await admin().patch(`/operators/${id}`, { role: 'read_only' })
    expect((await at.session()).status).toBe(401)
    await at.signIn(email)
    expect((await at.session()).body.operator.role).toBe('read_only')
    await admin().remove(`/operators/${id}`)
    expect((await at.session()).status).toBe(401)
    refused(await browser().signIn(email), 'AUTH_INVALID_KEY')
  })

  test('others than this one can be ended by who has them', async () => {
    const { browser: at, email } = await signInOperator(server, 'auditor')
    const other = browser()
    await other.signIn(email)
    expect((await at.post('/auth/revoke-other-sessions')).status).toBe(200)
    expect((await other.session()).status).toBe(401)
    expect((await at.session()).status).toBe(200)
  })

  test('an invented or altered cookie is nobody’s', async () => {
    const { browser: at } = await signInOperator(server, 'owner')
    const [name, value] = at.cookie.split('=') as [string, string]
    for (const cookie of [`${name}=x`, `${name}=${value.slice(0, 40)}`, `${name}=${value.replace(/^./, '_')}`, 'gatehouse=1'])
      refused(await browser().send('GET', '/admin/v1/session', undefined, { cookie }), 'AUTH_INVALID_KEY')
  })

  test('opens neither of the two doors: an owner’s cookie, or admin token, is no Application’s key and no user’s token', async () => {
    const { browser: at } = await signInOperator(server, 'owner')
    const token = { cookie: null, authorization: `Bearer ${server.demo.admin_token}` }
    for (const headers of [{}, token]) {
      for (const path of ['/v1/models', '/v1/conversations', '/v1/contacts', '/v1/events'])
        expect([path, (await at.send('GET', path, undefined, headers)).status]).toEqual([path, 401])
      for (const path of [
        '/v1/chat/completions',
        '/v1/knowledge/search',
        '/v1/memory/search',
        '/v1/memory/capture',
        '/v1/messages',
      ])
        expect([path, (await at.send('POST', path, {}, headers)).status]).toEqual([path, 401])
    }
  })
})

describe('who operates', () => {
  test('stands in the record of what they change', async () => {
    const { id, browser: at } = await signInOperator(server, 'owner')
    expect((await at.post('/admin/v1/users', { username: `user-${id.slice(-8).toLowerCase()}` })).status).toBe(201)
    const [record] = await admin().records()
    const { hasher } = await server.context.workspaceKeys.get(record.workspace_id ?? (await firstWorkspace()))
    expect(record.user.id).toBe(hasher.user(id))
  })

  test('the last owner can neither leave nor be demoted, whoever asks', async () => {
    const { id, browser: at } = await signInOperator(server, 'owner')
    const waiting = await inviteOperator(server, 'owner')
    const { data } = await admin().get('/operators?limit=100')
    for (const other of data)
      if (other.role === 'owner' && ![id, waiting.id].includes(other.id)) await admin().remove(`/operators/${other.id}`)
    for (const send of [at.send.bind(at), (method: string, path: string, json?: unknown) => admin().send(method, path, json)]) {
      refused(await send('DELETE', `/admin/v1/operators/${id}`), 'CONFLICT')
      refused(await send('PATCH', `/admin/v1/operators/${id}`, { role: 'auditor' }), 'CONFLICT')
    }
    await admin().patch(`/operators/${id}`, { name: 'Still here' })
    const second = await signInOperator(server, 'owner')
    const demote = (one: string) => admin().send('PATCH', `/operators/${one}`, { role: 'auditor' })
    const replies = await Promise.all([demote(id), demote(second.id)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})

const firstWorkspace = async (): Promise<string> => (await admin().get('/workspaces')).data[0].id

describe('an admin token', () => {
  test('may all that its maker may, or the part that is named', async () => {
    const all = await admin().create('/tokens', { name: 'all' })
    expect(all.scopes.toSorted()).toEqual(SCOPES.toSorted())
    const { token, scopes } = await admin().create('/tokens', { name: 'narrow', scopes: ['audit:read', 'operators:write'] })
    expect(scopes).toEqual(['audit:read', 'operators:write'])
    await admin().get('/audit', { token })
    expect(refused(await admin().send('GET', '/users', undefined, { token }), 'FORBIDDEN').message).toContain('people:read')
    expect((await admin().get('/session', { token })).operator).toMatchObject({
      kind: 'token',
      name: 'narrow',
      role: null,
      email: null,
    })
    // Nobody grants what they lack: neither to tokens, nor to people.
    const more = await admin().send('POST', '/tokens', { name: 'more', scopes: ['people:read'] }, { token })
    refused(more, 'FORBIDDEN', 'scopes')
    expect((await admin().create('/tokens', { name: 'same' }, { token })).scopes).toEqual(scopes)
    const friend = await admin().send('POST', '/operators', { email: 'f@example.com', name: 'F', role: 'owner' }, { token })
    refused(friend, 'FORBIDDEN', 'role')
    const { id } = await inviteOperator(server, 'owner')
    refused(await admin().send('POST', `/operators/${id}/invitation`, undefined, { token }), 'FORBIDDEN')
    refused(await admin().send('DELETE', `/operators/${id}`, undefined, { token }), 'FORBIDDEN')
  })

  test('may not be revoked by who lacks a scope of it', async () => {
    const issue = async (scopes: readonly string[]) => admin().create('/tokens', { name: 'rung', scopes })
    const [broad, narrow] = [await issue(['operators:write', 'audit:read']), await issue(['operators:write'])]
    const revoke = (id: string, token: string) => admin().send('POST', `/tokens/${id}/revoke`, undefined, { token })
    expect(refused(await revoke(broad.id, narrow.token), 'FORBIDDEN').message).toContain('audit:read')
    expect((await admin().get('/audit', { token: broad.token })).object).toBe('list')
    expect((await revoke(narrow.id, broad.token)).status).toBe(200)
  })

  test('says who answers for it: whoever issued it, were it by way of another token', async () => {
    const { id, browser: at } = await signInOperator(server, 'owner')
    const first = (await at.post('/admin/v1/tokens', { name: 'first' })).body
    const second = await admin().create('/tokens', { name: 'second' }, { token: first.token })
    expect([first.issued_by, second.issued_by]).toEqual([id, id])
    const { data } = await admin().get('/tokens?limit=100')
    const issuers = new Map(data.map((token: { id: string; issued_by: string | null }) => [token.id, token.issued_by]))
    expect([issuers.get(first.id), issuers.get(second.id), data[0].issued_by]).toEqual([id, id, null])
  })

  test('with an unknown scope, or none, is not made', async () => {
    for (const scopes of [['everything'], []])
      refused(await admin().send('POST', '/tokens', { name: 'x', scopes }), 'VALIDATION_ERROR')
  })
})

const url = inject('postgresUrl')

describe.skipIf(url === null)('on two nodes', () => {
  test('a session counts on both, and ends on both', async () => {
    const database = await createOwnDatabase(url ?? '')
    const env = { DATABASE_URL: database.url, GATEHOUSE_SECRET_KEY: 'x'.repeat(32) }
    const first = await startServer(env)
    const second = await startServer({ ...env, GATEHOUSE_DATA: first.config.dataDir })
    try {
      const ends = {
        'signing out': ({ browser: at }: { browser: Browser }) => at.post('/auth/sign-out'),
        'a new role': ({ id }: { id: string }) => adminClient(first).patch(`/operators/${id}`, { role: 'read_only' }),
        removal: ({ id }: { id: string }) => adminClient(first).remove(`/operators/${id}`),
      }
      for (const [how, end] of Object.entries(ends)) {
        const who = await signInOperator(first, 'auditor')
        const there = who.browser.copy(second.base)
        expect((await there.session()).status, how).toBe(200)
        await end(who)
        await vi.waitFor(async () => expect((await there.session()).status, how).toBe(401), { timeout: 10_000, interval: 50 })
      }
    } finally {
      await second.close()
      await first.close()
      await database.drop()
    }
  })
})
