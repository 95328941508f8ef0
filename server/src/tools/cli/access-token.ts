import type { Workspace } from '../../domains/identity/workspace.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../../domains/messaging/people/access-token-store.ts'
import { changeOf } from '../setup/change.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { ALL_ROWS, chooseWorkspace, listAllWorkspaces } from './choose-workspace.ts'
import { formatTime, printTable } from './tables.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { type CommandContext, withDatabase } from './with-database.ts'

export interface UserOptions {
  readonly user: string
  readonly workspace?: string
}

/** `gatehouse token user create`: prints the token to standard output and its id to standard error. */
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
      return [changeOf('access_token', 'issued', { id: issued.id, name: name })]
    })
    terminal.out(secret)
    terminal.note(`${change?.id} for ${user}: copy it now, because only its hash is stored`)
  })

/** `gatehouse token user revoke ID` */
export const accessTokenRevoke = (terminal: Terminal, id: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    for (const workspace of await listAllWorkspaces(context.database.db)) {
      if (await revokeToken(context, workspace, id)) return terminal.note(`${id} is revoked`)
    }
    throw new CommandFailure(`there is no access token ${id}: list the tokens of a user with \`gatehouse token user list\``)
  })

async function revokeToken(context: CommandContext, workspace: Workspace, id: string): Promise<boolean> {
  const changes = await changeWorkspace(context, workspace.id, async ({ tx, now }) => {
    const token = await revokeAccessToken(tx, workspace.id, id, now)
    return token ? [changeOf('access_token', 'revoked', token)] : []
  })
  return changes.length > 0
}

/** `gatehouse token user list` */
export const accessTokenList = (terminal: Terminal, { user, workspace: workspaceName }: UserOptions): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const workspace = await chooseWorkspace(db, workspaceName)
    const tokens = (await listAccessTokens(db, workspace.id, user, ALL_ROWS))?.data ?? []
    const rows = tokens.map(({ id, name, createdAt, revokedAt }) => [id, name, formatTime(createdAt), formatTime(revokedAt)])
    printTable(terminal, ['ID', 'NAME', 'CREATED', 'REVOKED'], rows)
  })
