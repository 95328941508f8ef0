import { issueKey, listKeys, revokeKey } from '../../domains/identity/api-key-store.ts'
import { listApplications } from '../../domains/identity/application-store.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../../domains/messaging/people/access-token-store.ts'
import { createAdminToken, listAdminTokens, revokeAdminToken } from '../../domains/operators/admin-token-store.ts'
import { withdrawInvitationsOf } from '../../domains/operators/invitation-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { ALL_ROWS } from '../../platform/db/page.ts'
import { SCOPES, type Scope } from '../../shared/scope.ts'
import { changeOf } from '../setup/change.ts'
import { changeServer, changeWorkspace } from '../setup/recorded-change.ts'
import { chooseApplication, chooseWorkspace, chooseWorkspaces, listAllWorkspaces } from './choose-workspace.ts'
import { CommandFailure, formatTime, printTable, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** Prints a key or token to standard output. `described`: its id and its holder, for standard error. */
function printIssued({ out, note }: Terminal, secret: string, described: string): void {
  out(secret)
  note(`${described}: copy it now, because only its hash is stored`)
}

export const keyIssue = (
  terminal: Terminal,
  { application: holder, workspace: workspaceName, name }: { application: string; workspace?: string; name: string },
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { db } = context.database
    const workspace = await chooseWorkspace(db, workspaceName)
    const { id: applicationId } = await chooseApplication(db, workspace, holder)
    let secret = ''
    const [change] = await changeWorkspace(context, workspace.id, async ({ tx, workspaceId, now }) => {
      const issued = await issueKey(tx, { workspaceId, applicationId }, name, now)
      if (!issued) throw new CommandFailure(`the Application ${holder} was deleted in the meantime`)
      secret = issued.key
      return [changeOf('key', 'issued', { id: issued.id, name: `${holder}/${name}` })]
    })
    printIssued(terminal, secret, `${change?.id} for ${holder}`)
  })

export const keyRevoke = (terminal: Terminal, id: string): Promise<void> =>
  revokeInWorkspaces(terminal, 'key', id, revokeKey, `there is no key ${id}: list the keys with \`gatehouse key list\``)

export const keyList = (terminal: Terminal, { workspace: workspaceName }: { workspace?: string }): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const rows: string[][] = []
    for (const workspace of await chooseWorkspaces(db, workspaceName)) {
      for (const application of (await listApplications(db, workspace.id, ALL_ROWS))?.data ?? []) {
        const keys = await listKeys(db, { workspaceId: workspace.id, applicationId: application.id }, ALL_ROWS)
        for (const { id, name, hint, createdAt, revokedAt } of keys?.data ?? [])
          rows.push([id, workspace.name, application.name, name, `${hint}…`, formatTime(createdAt), formatTime(revokedAt)])
      }
    }
    printTable(terminal, ['ID', 'WORKSPACE', 'APPLICATION', 'NAME', 'KEY', 'CREATED', 'REVOKED'], rows)
  })

interface UserOptions {
  readonly user: string
  readonly workspace?: string
}

export const accessTokenCreate = (
  terminal: Terminal,
  { user, workspace: workspaceName, name }: UserOptions & { name: string },
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const workspace = await chooseWorkspace(context.database.db, workspaceName)
    let secret = ''
    const [change] = await changeWorkspace(context, workspace.id, async ({ tx, now }) => {
      const issued = await issueAccessToken(tx, workspace.id, user, name, now)
      if (!issued) throw new CommandFailure(`there is no user ${user} in ${workspace.name}`)
      secret = issued.token
      return [changeOf('access_token', 'issued', { id: issued.id, name })]
    })
    printIssued(terminal, secret, `${change?.id} for ${user}`)
  })

export const accessTokenRevoke = (terminal: Terminal, id: string): Promise<void> => {
  const missing = `there is no access token ${id}: list the tokens of a user with \`gatehouse token user list\``
  return revokeInWorkspaces(terminal, 'access_token', id, revokeAccessToken, missing)
}

export const accessTokenList = (terminal: Terminal, { user, workspace: workspaceName }: UserOptions): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const workspace = await chooseWorkspace(db, workspaceName)
    const tokens = (await listAccessTokens(db, workspace.id, user, ALL_ROWS))?.data ?? []
    const rows = tokens.map(({ id, name, createdAt, revokedAt }) => [id, name, formatTime(createdAt), formatTime(revokedAt)])
    printTable(terminal, ['ID', 'NAME', 'CREATED', 'REVOKED'], rows)
  })

const revokeInWorkspaces = (
  terminal: Terminal,
  object: 'key' | 'access_token',
  id: string,
  revoke: (tx: Tx, workspaceId: string, id: string, now: Date) => Promise<{ id: string; name: string } | undefined>,
  missing: string,
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    for (const workspace of await listAllWorkspaces(context.database.db)) {
      const changes = await changeWorkspace(context, workspace.id, async ({ tx, now }) => {
        const revoked = await revoke(tx, workspace.id, id, now)
        return revoked ? [changeOf(object, 'revoked', revoked)] : []
      })
      if (changes.length > 0) return terminal.note(`${id} is revoked`)
    }
    throw new CommandFailure(missing)
  })

export const adminTokenCreate = (
  terminal: Terminal,
  { name, scope, workspace }: { name: string; scope?: readonly string[]; workspace?: readonly string[] },
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    let secret = ''
    const { db } = context.database
    const workspaceIds = workspace ? await Promise.all(workspace.map(async (one) => (await chooseWorkspace(db, one)).id)) : null
    const [change] = await changeServer(context, async (tx, now) => {
      const { id, token } = await createAdminToken(tx, { name, scopes: parseScopes(scope), workspaceIds }, now)
      secret = token
      return [{ ...changeOf('admin_token', 'issued', { id, name }), ...(workspaceIds && { workspaceIds }) }]
    })
    printIssued(terminal, secret, `${change?.id}`)
  })

export const adminTokenRevoke = (terminal: Terminal, id: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    await changeServer(context, async (tx, now) => {
      const token = await revokeAdminToken(tx, id, now)
      if (!token) throw new CommandFailure(`there is no admin token ${id}: list the tokens with \`gatehouse token list\``)
      await withdrawInvitationsOf(tx, id)
      const { workspaceIds } = token
      return [{ ...changeOf('admin_token', 'revoked', { id, name: token.name }), ...(workspaceIds && { workspaceIds }) }]
    })
    terminal.note(`${id} is revoked`)
  })

export const adminTokenList = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const tokens = (await listAdminTokens(db, ALL_ROWS))?.data ?? []
    const names = new Map((await listAllWorkspaces(db)).map((workspace) => [workspace.id, workspace.name]))
    const rows = tokens.map(({ id, name, workspaceIds, effectiveScopes, state, issuedBy, createdAt, revokedAt }) => {
      const scopes = effectiveScopes.length === SCOPES.length ? 'all' : state === 'ended' ? 'ended' : effectiveScopes.join(' ')
      const workspaces = workspaceIds?.map((one) => names.get(one) ?? one).join(', ') ?? 'all'
      return [id, name, issuedBy ?? 'server', formatTime(createdAt), formatTime(revokedAt), workspaces, scopes]
    })
    printTable(terminal, ['ID', 'NAME', 'ISSUED BY', 'CREATED', 'REVOKED', 'WORKSPACES', 'SCOPES'], rows)
  })

/** Undefined: all scopes. */
function parseScopes(given: readonly string[] | undefined): readonly Scope[] | undefined {
  const unknown = given?.find((name) => !SCOPES.some((scope) => scope === name))
  if (unknown !== undefined) throw new CommandFailure(`there is no scope ${unknown}. The scopes are ${SCOPES.join(', ')}`)
  return given && SCOPES.filter((scope) => given.includes(scope))
}
