import { beforeEach, describe, expect, test } from 'vitest'
import { suspendPerson } from '../../src/domains/operators/operator-store.ts'
import { ROLE_SCOPES, type Role } from '../../src/shared/operator.ts'
import { adminClient, expectError, type Json } from '../admin/client.ts'
import { closeAfterAll, closeAfterTest } from '../support/close-after-all.ts'
import { Browser, findOperator, signInOperator, signInWithPassword, tokenOf } from '../support/operators.ts'
import { word } from '../support/scripted-provider.ts'
import { startServer } from '../support/server.ts'

/** Two new Workspaces. */
let acme: string
let beta: string
const server = await closeAfterAll(startServer())
const admin = adminClient(server)
beforeEach(async () => {
  acme = await admin.workspace()
  beta = await admin.workspace()
})

const inWorkspace = (path: string, workspace: string) => `/admin/v1${path}?workspace=${workspace}`
const newEmail = () => `${word()}@example.com`
const actionsOf = async (workspace: string, id: string): Promise<string[]> =>
  (await admin.records(100, { workspace }))
    .filter(({ change }) => change?.object_id === id)
    .map(({ change }) => change.action)
    .toReversed()

describe('session', () => {
  test('lists only the Workspaces that the operator can enter, with role and scopes in each [ADM-ROLE-1]', async () => {
    const { browser } = await signInOperator(server, { [acme]: 'reviewer', [beta]: 'auditor' })
    const { operator, scopes, workspaces } = (await browser.session()).body
    expect([operator.role, scopes]).toEqual([null, []])
    expect(workspaces.map(({ id, role }: Json) => [id, role])).toEqual([
      [acme, 'reviewer'],
      [beta, 'auditor'],
    ])
    expect(workspaces[0].scopes.toSorted()).toEqual(ROLE_SCOPES.reviewer.toSorted())
  })

  test('the first Workspace that the operator can enter is the default [ADM-ROLE-1]', async () => {
    await admin.create('/applications', { name: 'in beta' }, { workspace: beta })
    const { browser } = await signInOperator(server, { [beta]: 'read_only' })
    const { data } = (await browser.get('/admin/v1/applications')).body
    expect(data.map(({ name }: Json) => name)).toEqual(['in beta'])
  })

  test('an operator without any role has a session without Workspaces and scopes [ADM-ROLE-1]', async () => {
    const { id, email } = await signInOperator(server, { [acme]: 'owner' })
    await admin.patch(`/operators/${id}`, { workspace_roles: [{ workspace_id: acme, role: null }] })
    const browser = await signInWithPassword(server, email)
    expect((await browser.session()).body).toMatchObject({ operator: { email, role: null }, scopes: [], workspaces: [] })
    expectError(await browser.get('/admin/v1/applications'), 'FORBIDDEN')
  })

  test('roles in all Workspaces and in one add up [ADM-ROLE-1]', async () => {
    const { id, email } = await signInOperator(server, 'read_only')
    await admin.patch(`/operators/${id}`, { workspace_roles: [{ workspace_id: acme, role: 'reviewer' }] })
    const browser = await signInWithPassword(server, email)
    expect((await browser.get(inWorkspace('/reviews', beta))).status).toBe(200)
    const decide = (workspace: string) => browser.post(inWorkspace('/reviews/rev_none/approve', workspace))
    expect(expectError(await decide(beta), 'FORBIDDEN').message).toContain('in this Workspace')
    expectError(await decide(acme), 'NOT_FOUND')
  })
})

describe('roles change', () => {
  test('a removed role ends the access to its Workspace and keeps the others [ADM-ROLE-5]', async () => {
    const { id, email } = await signInOperator(server, { [acme]: 'auditor', [beta]: 'auditor' })
    const updated = await admin.patch(`/operators/${id}`, { workspace_roles: [{ workspace_id: acme, role: null }] })
    expect(updated.workspace_roles).toEqual([{ workspace_id: beta, role: 'auditor' }])
    const browser = await signInWithPassword(server, email)
    expectError(await browser.get(inWorkspace('/audit', acme)), 'NOT_FOUND')
    expect((await browser.get(inWorkspace('/audit', beta))).status).toBe(200)
    expect(await actionsOf(acme, id)).toEqual(['operator.invite', 'operator.accept', 'operator.sign_in', 'operator.update'])
    expect(await actionsOf(beta, id)).not.toContain('operator.update')
  })

  test('an open stream of review events ends with the role in its Workspace [ADM-ROLE-5]', async () => {
    const { id, browser } = await signInOperator(server, { [acme]: 'reviewer', [beta]: 'reviewer' })
    const stream = await fetch(server.base + inWorkspace('/reviews/events', acme), { headers: { cookie: browser.cookie } })
    expect(stream.status).toBe(200)
    const ended = stream.text()
    await admin.patch(`/operators/${id}`, { workspace_roles: [{ workspace_id: acme, role: null }] })
    expect(await ended).toContain('event: reset')
  })
})

describe('an owner of one Workspace', () => {
  let owner: Browser
  beforeEach(async () => {
    owner = (await signInOperator(server, { [acme]: 'owner' })).browser
  })
  const invite = (roles: Json) => owner.post('/admin/v1/operators', { email: newEmail(), name: 'New', ...roles })

  test('invites operators into it only [ADM-ROLE-3]', async () => {
    const invited = await invite({ workspace_roles: [{ workspace_id: acme, role: 'reviewer' }] })
    expect(invited.status, invited.text).toBe(201)
    expectError(await invite({ workspace_roles: [{ workspace_id: beta, role: 'reviewer' }] }), 'NOT_FOUND')
    expectError(await invite({ workspace_roles: [{ workspace_id: 'ws_none', role: 'reviewer' }] }), 'NOT_FOUND')
    expectError(await invite({ role: 'read_only' }), 'FORBIDDEN', 'role')
    expectError(await invite({}), 'VALIDATION_ERROR', 'role')
    expect(await actionsOf(acme, invited.body.operator.id)).toEqual(['operator.invite'])
  })

  test('sees the operators of it, without their roles elsewhere [ADM-ROLE-3]', async () => {
    const here = await signInOperator(server, { [acme]: 'auditor', [beta]: 'owner' })
    const elsewhere = await signInOperator(server, { [beta]: 'owner' })
    const { data } = (await owner.get('/admin/v1/operators?limit=100')).body
    const found = data.find(({ id }: Json) => id === here.id)
    expect(found.workspace_roles).toEqual([{ workspace_id: acme, role: 'auditor' }])
    expect(data.map(({ id }: Json) => id)).not.toContain(elsewhere.id)
    for (const [method, path] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/invitation'],
    ] as const)
      expectError(
        await owner.send(method, `/admin/v1/operators/${elsewhere.id}${path}`, method === 'PATCH' ? {} : undefined),
        'NOT_FOUND',
      )
  })

  test('does not see a suspended operator of another Workspace, whom its own owner still sees [ADM-ROLE-3]', async () => {
    const elsewhere = await signInOperator(server, { [beta]: 'auditor' })
    await server.context.database.db.transaction().execute((tx) => suspendPerson(tx, elsewhere.id, new Date()))
    const { browser } = await signInOperator(server, { [beta]: 'owner' })
    const idsFor = async (client: Browser, path: string): Promise<string[]> =>
      (await client.get(`/admin/v1${path}`)).body.data.map(({ id }: Json) => id)
    for (const path of ['/operators?limit=100', '/audit/actors']) {
      expect(await idsFor(owner, path), path).not.toContain(elsewhere.id)
      expect(await idsFor(browser, path), path).toContain(elsewhere.id)
    }
  })

  test('cannot rename, reset or remove an operator who has roles elsewhere, and can take the role here [ADM-ROLE-3]', async () => {
    const { id } = await signInOperator(server, { [acme]: 'auditor', [beta]: 'auditor' })
    const path = `/admin/v1/operators/${id}`
    expectError(await owner.send('PATCH', path, { name: 'Renamed' }), 'FORBIDDEN')
    expectError(await owner.post(`${path}/invitation`), 'FORBIDDEN')
    expectError(await owner.send('DELETE', path), 'FORBIDDEN')
    const taken = await owner.send('PATCH', path, { workspace_roles: [{ workspace_id: acme, role: null }] })
    expect([taken.status, taken.body.workspace_roles]).toEqual([200, []])
    expect((await findOperator(server, id)).workspace_roles).toEqual([{ workspace_id: beta, role: 'auditor' }])
  })

  test('cannot sign out an owner of all Workspaces with a role that adds nothing [ADM-ROLE-5]', async () => {
    const all = await signInOperator(server, 'owner')
    for (const role of ['reviewer', 'owner', null]) {
      const body = { workspace_roles: [{ workspace_id: acme, role }] }
      expect((await owner.send('PATCH', `/admin/v1/operators/${all.id}`, body)).status).toBe(200)
    }
    expect((await all.browser.session()).status).toBe(200)
  })

  test('withdraws invitations into it with the role of their issuer, and none into other Workspaces [ADM-ROLE-3]', async () => {
    const both = await signInOperator(server, { [acme]: 'owner', [beta]: 'owner' })
    const [here, elsewhere] = await Promise.all(
      [acme, beta].map(async (workspace_id) => {
        const body = { email: newEmail(), name: 'New', workspace_roles: [{ workspace_id, role: 'reviewer' }] }
        return (await both.browser.post('/admin/v1/operators', body)).body
      }),
    )
    const body = { workspace_roles: [{ workspace_id: acme, role: 'auditor' }] }
    expect((await owner.send('PATCH', `/admin/v1/operators/${both.id}`, body)).status).toBe(200)
    const accept = ({ url }: Json) => new Browser(server.base).accept(tokenOf(url))
    expectError(await accept(here), 'NOT_FOUND')
    expect((await accept(elsewhere)).status).toBe(200)
  })

  test('cannot add the Workspace to an operator of another, whose inviter may know the password [ADM-ROLE-3]', async () => {
    const { email } = await signInOperator(server, { [beta]: 'reviewer' })
    const body = { email, name: 'Known', workspace_roles: [{ workspace_id: acme, role: 'owner' }] }
    const refused = expectError(await owner.post('/admin/v1/operators', body), 'CONFLICT', 'email')
    expect(refused.message).toContain('Ask an owner of all Workspaces')
  })

  test('does not end the suspension of an operator with more roles [ADM-ROLE-3]', async () => {
    const { id } = await signInOperator(server, 'auditor')
    await server.context.database.pool.query('update operator set suspended_at = now() where id = $1', [id])
    const body = { workspace_roles: [{ workspace_id: acme, role: 'auditor' }] }
    expectError(await owner.send('PATCH', `/admin/v1/operators/${id}`, body), 'FORBIDDEN')
  })

  test('issues tokens for it only, by default and by name [ADM-ROLE-4]', async () => {
    const issue = (body: Json) => owner.post('/admin/v1/tokens', { name: 'ci', ...body })
    const issued = await issue({})
    expect(issued.body.workspace_ids, issued.text).toEqual([acme])
    const send = (workspace: string) => admin.send('GET', '/applications', undefined, { token: issued.body.token, workspace })
    expect((await send(acme)).status).toBe(200)
    expectError(await send(beta), 'NOT_FOUND')
    expectError(await issue({ workspace_ids: [beta] }), 'NOT_FOUND')
    expectError(await issue({ workspace_ids: null }), 'FORBIDDEN', 'workspace_ids')
    const server_wide = await admin.create('/tokens', { name: 'all' })
    expectError(await owner.post(`/admin/v1/tokens/${server_wide.id}/revoke`), 'FORBIDDEN')
    const elsewhere = await admin.create('/tokens', { name: 'beta', workspace_ids: [beta] })
    expectError(await owner.post(`/admin/v1/tokens/${elsewhere.id}/revoke`), 'NOT_FOUND')
    const { data } = (await owner.get('/admin/v1/tokens?limit=100')).body
    expect(data.map(({ id }: Json) => id)).not.toContain(elsewhere.id)
    expect((await owner.post(`/admin/v1/tokens/${issued.body.id}/revoke`)).status).toBe(200)
  })
})

describe('admin tokens', () => {
  test('a token loses a Workspace with the role of its issuer [ADM-ROLE-4]', async () => {
    const { id, browser } = await signInOperator(server, { [acme]: 'owner', [beta]: 'owner' })
    const { token } = (await browser.post('/admin/v1/tokens', { name: 'both', workspace_ids: [acme, beta] })).body
    const send = (workspace: string) => admin.send('GET', '/applications', undefined, { token, workspace })
    expect((await send(beta)).status).toBe(200)
    await admin.patch(`/operators/${id}`, { workspace_roles: [{ workspace_id: beta, role: null }] })
    expectError(await send(beta), 'NOT_FOUND')
    expect((await send(acme)).status).toBe(200)
  })
})

describe('owners', () => {
  test('an owner of one Workspace does not count as the last owner of all [ADM-ROLE-3]', async () => {
    const fresh = await closeAfterTest(startServer())
    const client = adminClient(fresh)
    const workspace = await client.workspace()
    await signInOperator(fresh, { [workspace]: 'owner' })
    const { data } = await client.get('/operators')
    const demo = data.find(({ role }: Json) => role === 'owner')
    expectError(await client.send('PATCH', `/operators/${demo.id}`, { role: null }), 'CONFLICT')
    expectError(await client.send('DELETE', `/operators/${demo.id}`), 'CONFLICT')
  })

  test('a link for fewer roles does not open an account with more [ADM-ROLE-3]', async () => {
    const email = newEmail()
    const invited = await admin.create('/operators', {
      email,
      name: 'Eve',
      workspace_roles: [{ workspace_id: acme, role: 'reviewer' satisfies Role }],
    })
    await admin.patch(`/operators/${invited.operator.id}`, { workspace_roles: [{ workspace_id: beta, role: 'owner' }] })
    expectError(await new Browser(server.base).accept(tokenOf(invited.url)), 'NOT_FOUND')
  })
})
