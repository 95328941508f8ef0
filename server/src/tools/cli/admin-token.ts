import { createAdminToken, listAdminTokens, revokeAdminToken } from '../../domains/operators/admin-token-store.ts'
import { withdrawInvitationsOf } from '../../domains/operators/invitation-store.ts'
import { SCOPES, type Scope } from '../../shared/scope.ts'
import { changeOf } from '../setup/change.ts'
import { changeServer } from '../setup/recorded-change.ts'
import { ALL_ROWS, chooseWorkspace, listAllWorkspaces } from './choose-workspace.ts'
import { formatTime, printTable } from './tables.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse token create`: prints the admin token to standard output and its id to standard error. */
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
      return [{ ...changeOf('admin_token', 'issued', { id: id, name: name }), ...(workspaceIds && { workspaceIds }) }]
    })
    terminal.out(secret)
    terminal.note(`${change?.id}: copy it now, because only its hash is stored`)
  })

/** `gatehouse token revoke ID` */
export const adminTokenRevoke = (terminal: Terminal, id: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    await changeServer(context, async (tx, now) => {
      const token = await revokeAdminToken(tx, id, now)
      if (!token) throw new CommandFailure(`there is no admin token ${id}: list the tokens with \`gatehouse token list\``)
      await withdrawInvitationsOf(tx, id)
      return [
        {
          ...changeOf('admin_token', 'revoked', { id: id, name: token.name }),
          ...(token.workspaceIds && { workspaceIds: token.workspaceIds }),
        },
      ]
    })
    terminal.note(`${id} is revoked`)
  })

/** `gatehouse token list` */
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
