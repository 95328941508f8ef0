import { describe, expect, test, vi } from 'vitest'
import { SCOPES } from '../../src/shared/scope.ts'
import { adminClient, expectError } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { postgresUrl } from '../support/database.ts'
import { Browser, createFirstLoginToken, inviteOperator, signInOperator, tokenOf } from '../support/operators.ts'
import { startServer } from '../support/server.ts'
import { startTwoServers } from '../support/two-servers.ts'

const server = await closeAfterAll(startServer())

const admin = () => adminClient(server)
const browser = () => new Browser(server.base)

describe('invitation', () => {
  test('names the invited operator, works once, and signs in', async () => {
    const { token, email, id } = await inviteOperator(server, 'auditor')
    expect((await browser().post('/auth/gatehouse/invitation', { token })).body).toEqual({
      email,
      name: 'A auditor',
      needs_workspace: false,
    })
    const client = browser()
    expect((await client.accept(token, { name: 'Ann' })).status).toBe(200)
    expect((await client.session()).body.operator).toMatchObject({ id, email, name: 'Ann', role: 'auditor' })
    expectError(await browser().accept(token, { password: 'another horse battery' }), 'NOT_FOUND')
    expectError(await browser().post('/auth/gatehouse/invitation', { token }), 'NOT_FOUND')
    expect((await browser().signIn(email)).status).toBe(200)
  })

  test('works once when it is accepted twice at the same time', async () => {
    const { token } = await inviteOperator(server, 'auditor')
    const accept = (password: string) => browser().accept(token, { password })
    const responses = await Promise.all([accept('first horse battery'), accept('second horse battery')])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404])
  })

  test('stays valid when the password is too short', async () => {
    const { token } = await inviteOperator(server, 'auditor')
    expect(expectError(await browser().accept(token, { password: 'short' }), 'VALIDATION_ERROR').param).toBe('password')
    expect((await browser().accept(token)).status).toBe(200)
  })

  test('expires after a week', async () => {
    const { token, id } = await inviteOperator(server, 'auditor')
    const { pool } = server.context.database
    const { rows } = await pool.query('select expires_at - created_at as age from operator_invitation where operator_id = $1', [
      id,
    ])
    expect(rows[0].age.days).toBe(7)
    await pool.query("update operator_invitation set expires_at = now() - interval '1 second' where operator_id = $1", [id])
    expectError(await browser().accept(token), 'NOT_FOUND')
  })

  test('a new one ends the older link, and resets password and sessions when it is accepted', async () => {
    const { id, email, browser: client } = await signInOperator(server, 'auditor')
    const [older, newer] = [
      await admin().create(`/operators/${id}/invitation`),
      await admin().create(`/operators/${id}/invitation`),
    ]
    expect((await browser().signIn(email)).status).toBe(200)
    expectError(await browser().accept(tokenOf(older.url)), 'NOT_FOUND')
    expect((await browser().accept(tokenOf(newer.url), { password: 'another horse battery' })).status).toBe(200)
    expect((await client.session()).status).toBe(401)
    expectError(await browser().signIn(email), 'AUTH_INVALID_KEY')
  })

  test('ends when the operator gets another role', async () => {
    const { id, email } = await signInOperator(server, 'read_only')
    const { url } = await admin().create(`/operators/${id}/invitation`)
    await admin().patch(`/operators/${id}`, { role: 'owner' })
    expectError(await browser().accept(tokenOf(url), { password: 'the third battery' }), 'NOT_FOUND')
    expect((await browser().signIn(email)).status).toBe(200)
  })

  test('ends sign-ins in progress and trusted browsers when it is accepted', async () => {
    const { id, email } = await signInOperator(server, 'auditor')
    const { pool } = server.context.database
    await pool.query(
      "insert into operator_verification select 'aut_old', 'trust-device-x', $1, now() + interval '1 day', now(), now()",
      [id],
    )
    const { url } = await admin().create(`/operators/${id}/invitation`)
    expect((await browser().accept(tokenOf(url), { password: 'another horse battery' })).body.user.email).toBe(email)
    expect((await pool.query('select id from operator_verification where value = $1', [id])).rows).toEqual([])
  })

  test('first login: 404 when an operator exists, or is invited before the link is used', async () => {
    const acceptance = { name: 'Eve', email: 'eve@example.com' }
    const late = await createFirstLoginToken(server)
    expectError(await browser().accept(late, acceptance), 'NOT_FOUND')
    expectError(await browser().signIn(acceptance.email), 'AUTH_INVALID_KEY')
    const token = await createFirstLoginToken(server)
    await inviteOperator(server, 'auditor')
    expectError(await browser().post('/auth/gatehouse/invitation', { token }), 'NOT_FOUND')
  })

  test('409 when the address is already invited', async () => {
    const { email } = await inviteOperator(server, 'auditor')
    const again = await admin().send('POST', '/operators', { email: email.toUpperCase(), name: 'Twice', role: 'owner' })
    expectError(again, 'CONFLICT', 'email')
  })
})

describe('session', () => {
  test('ends when the operator signs out', async () => {
    const { browser: client } = await signInOperator(server, 'auditor')
    const stolen = client.copy()
    expect((await client.post('/auth/sign-out')).status).toBe(200)
    expect((await stolen.session()).status).toBe(401)
  })

  test('ends when the operator gets another role or is deleted', async () => {
    const { id, browser: client, email } = await signInOperator(server, 'auditor')
    await admin().patch(`/operators/${id}`, { role: 'read_only' })
    expect((await client.session()).status).toBe(401)
    await client.signIn(email)
    expect((await client.session()).body.operator.role).toBe('read_only')
    await admin().remove(`/operators/${id}`)
    expect((await client.session()).status).toBe(401)
    expectError(await browser().signIn(email), 'AUTH_INVALID_KEY')
  })

  test('revoke-other-sessions ends all other sessions of the operator', async () => {
    const { browser: client, email } = await signInOperator(server, 'auditor')
    const other = browser()
    await other.signIn(email)
    expect((await client.post('/auth/revoke-other-sessions')).status).toBe(200)
    expect((await other.session()).status).toBe(401)
    expect((await client.session()).status).toBe(200)
  })

  test('401 when the cookie is invented or altered', async () => {
    const { browser: client } = await signInOperator(server, 'owner')
    const [name, value] = client.cookie.split('=') as [string, string]
    for (const cookie of [`${name}=x`, `${name}=${value.slice(0, 40)}`, `${name}=${value.replace(/^./, '_')}`, 'gatehouse=1'])
      expectError(await browser().send('GET', '/admin/v1/session', undefined, { cookie }), 'AUTH_INVALID_KEY')
  })

  test("gateway and messaging API: 401 for an owner's cookie and for an admin token", async () => {
    const { browser: client } = await signInOperator(server, 'owner')
    const token = { cookie: null, authorization: `Bearer ${server.demo.admin_token}` }
    for (const headers of [{}, token]) {
      for (const path of ['/v1/models', '/v1/conversations', '/v1/contacts', '/v1/events'])
        expect([path, (await client.send('GET', path, undefined, headers)).status]).toEqual([path, 401])
      for (const path of [
        '/v1/chat/completions',
        '/v1/knowledge/search',
        '/v1/memory/search',
        '/v1/memory/capture',
        '/v1/messages',
      ])
        expect([path, (await client.send('POST', path, {}, headers)).status]).toEqual([path, 401])
    }
  })
})

describe('operators', () => {
  test('audit record: names the operator by a keyed hash', async () => {
    const { id, browser: client } = await signInOperator(server, 'owner')
    expect((await client.post('/admin/v1/users', { username: `user-${id.slice(-8).toLowerCase()}` })).status).toBe(201)
    const [record] = await admin().records()
    const { hasher } = await server.context.workspaceKeys.get(record.workspace_id ?? (await firstWorkspace()))
    expect(record.user.id).toBe(hasher.user(id))
  })

  test('409 when the last owner would be deleted or demoted', async () => {
    const { id, browser: client } = await signInOperator(server, 'owner')
    const waiting = await inviteOperator(server, 'owner')
    const { data } = await admin().get('/operators?limit=100')
    for (const other of data)
      if (other.role === 'owner' && ![id, waiting.id].includes(other.id)) await admin().remove(`/operators/${other.id}`)
    for (const send of [
      client.send.bind(client),
      (method: string, path: string, json?: unknown) => admin().send(method, path, json),
    ]) {
      expectError(await send('DELETE', `/admin/v1/operators/${id}`), 'CONFLICT')
      expectError(await send('PATCH', `/admin/v1/operators/${id}`, { role: 'auditor' }), 'CONFLICT')
    }
    await admin().patch(`/operators/${id}`, { name: 'Still here' })
    const second = await signInOperator(server, 'owner')
    const demote = (operatorId: string) => admin().send('PATCH', `/operators/${operatorId}`, { role: 'auditor' })
    const responses = await Promise.all([demote(id), demote(second.id)])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})

const firstWorkspace = async (): Promise<string> => (await admin().get('/workspaces')).data[0].id

describe('admin token', () => {
  test('has the scopes of its issuer or the named ones, and grants no others', async () => {
    const all = await admin().create('/tokens', { name: 'all' })
    expect(all.scopes.toSorted()).toEqual(SCOPES.toSorted())
    const { token, scopes } = await admin().create('/tokens', { name: 'narrow', scopes: ['audit:read', 'operators:write'] })
    expect(scopes).toEqual(['audit:read', 'operators:write'])
    await admin().get('/audit', { token })
    expect(expectError(await admin().send('GET', '/users', undefined, { token }), 'FORBIDDEN').message).toContain('people:read')
    expect((await admin().get('/session', { token })).operator).toMatchObject({
      kind: 'token',
      name: 'narrow',
      role: null,
      email: null,
    })
    // A token cannot grant scopes that it lacks, to tokens or to operators.
    const more = await admin().send('POST', '/tokens', { name: 'more', scopes: ['people:read'] }, { token })
    expectError(more, 'FORBIDDEN', 'scopes')
    expect((await admin().create('/tokens', { name: 'same' }, { token })).scopes).toEqual(scopes)
    const friend = await admin().send('POST', '/operators', { email: 'f@example.com', name: 'F', role: 'owner' }, { token })
    expectError(friend, 'FORBIDDEN', 'role')
    const { id } = await inviteOperator(server, 'owner')
    expectError(await admin().send('POST', `/operators/${id}/invitation`, undefined, { token }), 'FORBIDDEN')
    expectError(await admin().send('DELETE', `/operators/${id}`, undefined, { token }), 'FORBIDDEN')
  })

  test('403 when the revoking token lacks one of its scopes', async () => {
    const issue = async (scopes: readonly string[]) => admin().create('/tokens', { name: 'rung', scopes })
    const [broad, narrow] = [await issue(['operators:write', 'audit:read']), await issue(['operators:write'])]
    const revoke = (id: string, token: string) => admin().send('POST', `/tokens/${id}/revoke`, undefined, { token })
    expect(expectError(await revoke(broad.id, narrow.token), 'FORBIDDEN').message).toContain('audit:read')
    expect((await admin().get('/audit', { token: broad.token })).object).toBe('list')
    expect((await revoke(narrow.id, broad.token)).status).toBe(200)
  })

  test('issued_by is the operator who issued it, also through another token', async () => {
    const { id, browser: client } = await signInOperator(server, 'owner')
    const first = (await client.post('/admin/v1/tokens', { name: 'first' })).body
    const second = await admin().create('/tokens', { name: 'second' }, { token: first.token })
    expect([first.issued_by, second.issued_by]).toEqual([id, id])
    const { data } = await admin().get('/tokens?limit=100')
    const issuers = new Map(data.map((token: { id: string; issued_by: string | null }) => [token.id, token.issued_by]))
    expect([issuers.get(first.id), issuers.get(second.id), data[0].issued_by]).toEqual([id, id, null])
  })

  test('400 with an unknown scope or without any', async () => {
    for (const scopes of [['everything'], []])
      expectError(await admin().send('POST', '/tokens', { name: 'x', scopes }), 'VALIDATION_ERROR')
  })
})

const url = postgresUrl()

describe.skipIf(url === null)('operators on two nodes', () => {
  test('session: valid on both nodes, and ends on both', async () => {
    const { first, second } = await startTwoServers(url ?? '')
    const ends = {
      'signing out': ({ browser: client }: { browser: Browser }) => client.post('/auth/sign-out'),
      'a new role': ({ id }: { id: string }) => adminClient(first).patch(`/operators/${id}`, { role: 'read_only' }),
      removal: ({ id }: { id: string }) => adminClient(first).remove(`/operators/${id}`),
    }
    for (const [reason, end] of Object.entries(ends)) {
      const operator = await signInOperator(first, 'auditor')
      const onSecondNode = operator.browser.copy(second.base)
      expect((await onSecondNode.session()).status, reason).toBe(200)
      await end(operator)
      await vi.waitFor(async () => expect((await onSecondNode.session()).status, reason).toBe(401), {
        timeout: 20_000,
        interval: 50,
      })
    }
  })
})
