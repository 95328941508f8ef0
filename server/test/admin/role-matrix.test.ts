import { describe, expect, test } from 'vitest'
import { ROLES, type Role } from '../../src/shared/operator.ts'
import { SCOPES } from '../../src/shared/scope.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { signInOperator } from '../support/operators.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient } from './client.ts'
import { adminOperations } from './operations.ts'
import { AREAS, OTHER_SCOPES, PERMISSIONS } from './permissions.ts'

const server = await closeAfterAll(sharedServer())
const routes = (await adminOperations(server)).map((operation) => ({
  id: operation.operationId,
  method: operation.method,
  // An unknown id: operators with the permission get 404.
  path: operation.path.replaceAll(/\{\w+\}/g, 'none'),
  scope: operation['x-gatehouse-scope'],
  reach: operation['x-gatehouse-reach'],
}))
type Route = (typeof routes)[number]

/** The headers of a session of an operator with these roles, and of a token. */
async function credentialsOf(roles: Parameters<typeof signInOperator>[1], tokenFields: (scopes: string[]) => object) {
  const { browser } = await signInOperator(server, roles)
  const { scopes } = (await browser.session()).body
  const { token } = await adminClient(server).create('/tokens', { name: 'matrix', ...tokenFields(scopes) })
  const bySession = { cookie: browser.cookie, origin: server.base, 'sec-fetch-site': 'same-origin' }
  return { bySession, byToken: { authorization: `Bearer ${token}` } }
}

test('matrix: every operation needs the scope of its area, or the one that is listed for it', () => {
  const expected = ({ id, method, path }: Route): string | null => {
    const segment = path.split('/')[3] ?? ''
    const area = Object.keys(AREAS).find((name) => AREAS[name]?.includes(segment))
    const listed = OTHER_SCOPES[id]
    return listed === undefined ? `${area}:${method === 'GET' ? 'read' : 'write'}` : listed
  }
  const scopes = routes.map(({ id, scope }) => [id, scope ?? null])
  expect(scopes).toEqual(routes.map((route) => [route.id, expected(route)]))
  expect(Object.keys(OTHER_SCOPES).filter((id) => routes.every((route) => route.id !== id))).toEqual([])
})

test('matrix: every scope has a row, and every row a scope', () => {
  expect(Object.keys(PERMISSIONS).toSorted()).toEqual(SCOPES.toSorted())
})

test('matrix: every row has a cell for each role', () => {
  for (const [scope, row] of Object.entries(PERMISSIONS)) expect(row, scope).toMatch(/^[x-]( [x-]){4}$/)
})

/** Operations that an admin token never has, because it is no person. */
const OF_PEOPLE = ['getNotifications', 'testNotifications', 'updateNotifications']

const isPermitted = (scope: string | null, role: Role): boolean =>
  !scope || PERMISSIONS[scope]?.split(' ')[ROLES.indexOf(role)] === 'x'

describe.each(ROLES)('%s', { timeout: 240_000 }, (role) => {
  test('a session, and a token with its scopes, can use exactly the permitted operations', async () => {
    const credentials = await credentialsOf(role, (scopes) => ({ scopes }))
    for (const { id, method, path, scope } of routes) {
      for (const [credential, headers] of Object.entries(credentials)) {
        const { status, text } = await send(method, path, headers)
        const cell = `${role} ${id} ${credential}: ${status} ${text}`
        if (credential === 'byToken' && OF_PEOPLE.includes(id)) {
          // A body is checked before.
          expect([400, 403, 415], cell).toContain(status)
        } else if (isPermitted(scope, role)) {
          expect([401, 403, 500], cell).not.toContain(status)
        } else {
          expect(status, cell).toBe(403)
          expect(text, cell).toContain(`the scope ${scope}.`)
        }
      }
    }
  })
})

/** Operations of the server: refused with 403. For all others, another Workspace looks as if it did not exist. */
const REACH_OF_SERVER = ['createWorkspace', 'getSecretKeys', 'getSingleSignOn', 'getDemo', 'removeDemo']
/** Operations that leave out the Workspaces of others, instead of refusing. */
const REACH_ANY = ['getSession', 'listWorkspaces', 'readAuditFeed']

describe('an owner of another Workspace only', { timeout: 240_000 }, () => {
  test('matrix: reach of every operation', () => {
    const withReach = (reach: string) => routes.filter((route) => route.reach === reach).map(({ id }) => id)
    expect(withReach('server')).toEqual(expect.arrayContaining(REACH_OF_SERVER))
    expect(withReach('server')).toHaveLength(REACH_OF_SERVER.length)
    expect(withReach('any').toSorted()).toEqual(REACH_ANY)
    expect(withReach('path').toSorted()).toEqual(['getWorkspace', 'updateWorkspace'])
  })

  test('a session, and a token for that Workspace, are refused every operation here [ADM-ROLE-2]', async () => {
    const admin = adminClient(server)
    const own = await admin.workspace()
    const { id: workspace, name } = (await admin.get('/workspaces')).data[0]
    const credentials = await credentialsOf({ [own]: 'owner' }, () => ({ workspace_ids: [own] }))
    for (const { id, method, path, scope, reach } of routes) {
      for (const [credential, headers] of Object.entries(credentials)) {
        for (const chosen of [workspace, name]) {
          const target = reach === 'path' ? path.replace('none', workspace) : path
          const { status, text } = await send(method, target, { ...headers, 'x-gatehouse-workspace': chosen })
          const cell = `${id} ${credential}: ${status} ${text}`
          if (REACH_ANY.includes(id)) expect(text, cell).not.toContain(workspace)
          else if (REACH_OF_SERVER.includes(id))
            expect([status, text.includes(`the scope ${scope} in all`)], cell).toEqual([403, true])
          else {
            const elsewhere = { ...headers, 'x-gatehouse-workspace': 'none' }
            const unknown = await send(method, target.replace(workspace, 'ws_none'), elsewhere)
            // An invalid body or query is reported before the Workspace is looked up, for every Workspace alike.
            expect([status, withoutIds(text)], cell).toEqual([unknown.status, withoutIds(unknown.text)])
            expect([400, 404, 415], cell).toContain(status)
            if (status === 404) expect(text, cell).toContain('Workspace not found.')
          }
        }
      }
    }
  })

  test('can use every operation of their own Workspace', async () => {
    const own = await adminClient(server).workspace()
    const { bySession } = await credentialsOf({ [own]: 'owner' }, () => ({ workspace_ids: [own] }))
    const headers = { ...bySession, 'x-gatehouse-workspace': own }
    for (const { id, method, path, reach } of routes.filter((route) => route.reach !== 'server')) {
      const { status, text } = await send(method, reach === 'path' ? path.replace('none', own) : path, headers)
      expect([401, 403, 500], `${id}: ${status} ${text}`).not.toContain(status)
      expect(text, `${method} ${path}`).not.toContain('Workspace not found')
    }
  })
})

const withoutIds = (text: string) => text.replaceAll(/(?:req|aud)_\w+/g, '')

async function send(method: string, path: string, headers: Readonly<Record<string, string>>) {
  const withBody = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }
  const type = 'body' in withBody ? { 'content-type': 'application/json' } : undefined
  const response = await fetch(server.base + path, { method, headers: { ...headers, ...type }, ...withBody })
  // An event stream does not end.
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, text: '' }
  }
  return { status: response.status, text: await response.text() }
}
