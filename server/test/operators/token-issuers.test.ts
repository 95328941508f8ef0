import { describe, expect, test, vi } from 'vitest'
import { ROLE_SCOPES } from '../../src/shared/operator.ts'
import { SCOPES } from '../../src/shared/scope.ts'
import { adminClient, expectError, type Json } from '../admin/client.ts'
import { closeAfterAll, closeAfterTest } from '../support/close-after-all.ts'
import { postgresUrl } from '../support/database.ts'
import { Browser, findOperator, signInOperator, tokenOf } from '../support/operators.ts'
import { startServer } from '../support/server.ts'
import { startTwoServers } from '../support/two-servers.ts'

const server = await closeAfterAll(startServer())
const admin = adminClient(server)

const demote = (id: string, role = 'read_only') => admin.patch(`/operators/${id}`, { role })
const session = (token: string) => admin.send('GET', '/session', undefined, { token })

/** An owner, a token of that owner, and a token that was issued with it. */
async function createIssuer() {
  const owner = await signInOperator(server, 'owner')
  const first = (await owner.browser.post('/admin/v1/tokens', { name: 'first' })).body
  const second = await admin.create('/tokens', { name: 'second' }, { token: first.token })
  return { ...owner, first, second }
}

const listed = async (id: string): Promise<Json> => {
  const { data } = await admin.get('/tokens?limit=100')
  return data.find((token: Json) => token.id === id)
}

describe('an admin token of an operator', () => {
  test('token issuers: scopes shrink to those of the role when the issuer is demoted', async () => {
    const { id, first, second } = await createIssuer()
    await demote(id)
    for (const { token } of [first, second]) {
      expect((await session(token)).body.scopes.toSorted()).toEqual(ROLE_SCOPES.read_only.toSorted())
      expectError(await admin.send('POST', '/tokens', { name: 'more' }, { token }), 'FORBIDDEN')
      expectError(await admin.send('POST', '/applications', { name: 'more' }, { token }), 'FORBIDDEN')
    }
    expect(await listed(first.id)).toMatchObject({ state: 'active', scopes: SCOPES, effective_scopes: expect.any(Array) })
    expect((await listed(first.id)).effective_scopes.toSorted()).toEqual(ROLE_SCOPES.read_only.toSorted())
  })

  test('token issuers: scopes return when the issuer gets the role again, and never exceed the granted ones', async () => {
    const owner = await signInOperator(server, 'owner')
    const { token } = (await owner.browser.post('/admin/v1/tokens', { name: 'narrow', scopes: ['audit:read', 'people:write'] }))
      .body
    await demote(owner.id)
    expect((await session(token)).body.scopes).toEqual(['audit:read'])
    await demote(owner.id, 'owner')
    expect((await session(token)).body.scopes.toSorted()).toEqual(['audit:read', 'people:write'])
  })

  test('token issuers: a token ends when its issuer is deleted, and the error says why', async () => {
    const { id, first, second } = await createIssuer()
    await admin.remove(`/operators/${id}`)
    for (const { token, id: tokenId } of [first, second]) {
      expect(expectError(await session(token), 'AUTH_KEY_REVOKED').message).toContain('operator who issued')
      expect(await listed(tokenId)).toMatchObject({ state: 'ended', effective_scopes: [], issued_by: id })
    }
  })

  test('token issuers: an ended token does not count as the last valid one', async () => {
    const own = await closeAfterTest(startServer())
    const operators = adminClient(own)
    const { id, browser } = await signInOperator(own, 'owner')
    const ended = (await browser.post('/admin/v1/tokens', { name: 'ended' })).body
    const { data } = await operators.get('/tokens?limit=100')
    expect(data).toHaveLength(2)
    await operators.remove(`/operators/${id}`)
    expect(expectError(await operators.send('POST', `/tokens/${data[0].id}/revoke`), 'CONFLICT').message).toContain('last')
    expect((await operators.post(`/tokens/${ended.id}/revoke`)).state).toBe('revoked')
  })

  test('token issuers: a token without an operator stays valid, and so do tokens issued with it', async () => {
    const { token, issued_by } = await admin.create('/tokens', { name: 'automation' })
    const { id } = await signInOperator(server, 'owner')
    await admin.remove(`/operators/${id}`)
    expect((await session(token)).status).toBe(200)
    expect(issued_by).toMatch(/^adm_/)
    expect(await listed(issued_by)).toMatchObject({ issued_by: null, state: 'active' })
  })

  test('token issuers: an event stream that a token opened ends when its issuer is removed', async () => {
    const owner = await signInOperator(server, 'owner')
    const { token } = (await owner.browser.post('/admin/v1/tokens', { name: 'watching', scopes: ['reviews:read'] })).body
    const response = await fetch(`${server.base}/admin/v1/reviews/events`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(20_000),
    })
    expect(response.status).toBe(200)
    const text = response.text()
    await demote(owner.id)
    expect((await session(token)).body.scopes).toEqual(['reviews:read'])
    await admin.remove(`/operators/${owner.id}`)
    // The stream would last a minute.
    expect(await text).toContain('event: reset')
  })
})

describe('an invitation of an operator', () => {
  test('token issuers: an invitation is 404 when its issuer was deleted or demoted', async () => {
    for (const end of [(id: string) => admin.remove(`/operators/${id}`), (id: string) => demote(id)]) {
      const owner = await signInOperator(server, 'owner')
      const { token } = (await owner.browser.post('/admin/v1/tokens', { name: 'inviting' })).body
      const invitation = (email: string) => ({ email, name: 'A friend', role: 'owner' })
      const links = [
        (await owner.browser.post('/admin/v1/operators', invitation(`a-${owner.id}@example.com`))).body,
        (await admin.create('/operators', invitation(`b-${owner.id}@example.com`), { token })) as Json,
      ]
      await end(owner.id)
      for (const { url, operator } of links) {
        expectError(await new Browser(server.base).accept(tokenOf(url)), 'NOT_FOUND')
        expect(await findOperator(server, operator.id)).toBeUndefined()
      }
    }
  })

  test('token issuers: an invitation stays valid when another operator has sent it again', async () => {
    const owner = await signInOperator(server, 'owner')
    const { operator } = (
      await owner.browser.post('/admin/v1/operators', { email: `c-${owner.id}@example.com`, name: 'C', role: 'auditor' })
    ).body
    const { url } = await admin.create(`/operators/${operator.id}/invitation`)
    await admin.remove(`/operators/${owner.id}`)
    expect((await new Browser(server.base).accept(tokenOf(url))).status).toBe(200)
  })
})

const url = postgresUrl()

describe.skipIf(url === null)('token issuers on two nodes', () => {
  test('token issuers: a cached token loses its scopes and ends on every node', async () => {
    const { first, second } = await startTwoServers(url ?? '')
    const owner = await signInOperator(first, 'owner')
    const { token } = (await owner.browser.post('/admin/v1/tokens', { name: 'cached' })).body
    const sessionOnSecond = () => adminClient(second).send('GET', '/session', undefined, { token })
    expect((await sessionOnSecond()).body.scopes).toHaveLength(SCOPES.length)
    await adminClient(first).patch(`/operators/${owner.id}`, { role: 'reviewer' })
    const expectFewerScopes = async () => expect((await sessionOnSecond()).body.scopes).toHaveLength(ROLE_SCOPES.reviewer.length)
    await vi.waitFor(expectFewerScopes, { timeout: 20_000, interval: 50 })
    await adminClient(first).remove(`/operators/${owner.id}`)
    await vi.waitFor(async () => expect((await sessionOnSecond()).status).toBe(401), { timeout: 20_000, interval: 50 })
  })
})
