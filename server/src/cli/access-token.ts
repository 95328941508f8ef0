import type { Workspace } from '../identity/workspace.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../messaging/people/access-token-store.ts'
import type { Change } from '../setup/change.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { ALL, allWorkspaces, chooseWorkspace } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { shownTime, table } from './table.ts'
import { type Workbench, withDatabase } from './with-database.ts'

export interface UserOptions {
  readonly user: string
  readonly workspace?: string
}

/** `gatehouse token user create`: the token alone on standard output, its id beside it on standard error. */
export const accessTokenCreate = (
  terminal: Terminal,
  { user, workspace: of, name }: UserOptions & { name: string },
): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    const workspace = await chooseWorkspace(bench.database.db, of)
    let secret = ''
    const [change] = await changeWorkspace(bench, workspace.id, async ({ tx, now }) => {
      const issued = await issueAccessToken(tx, workspace.id, user, name, now)
      if (!issued) throw new CommandProblem(`there is no person of the id ${user} in ${workspace.name}`)
      secret = issued.token
      return [tokenChange('issued', issued.id, name)]
    })
    terminal.out(secret)
    terminal.note(`${change?.id} for ${user}: kept nowhere, so copy it now`)
  })

/** `gatehouse token user revoke ID` */
export const accessTokenRevoke = (terminal: Terminal, id: string): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    for (const workspace of await allWorkspaces(bench.database.db)) {
      if (await revoked(bench, workspace, id)) return terminal.note(`${id} is revoked`)
    }
    throw new CommandProblem(`there is no access token ${id}: \`gatehouse token user list\` shows a user's`)
  })

async function revoked(bench: Workbench, workspace: Workspace, id: string): Promise<boolean> {
  const changes = await changeWorkspace(bench, workspace.id, async ({ tx, now }) => {
    const token = await revokeAccessToken(tx, workspace.id, id, now)
    return token ? [tokenChange('revoked', token.id, token.name)] : []
  })
  return changes.length > 0
}

/** `gatehouse token user list` */
export const accessTokenList = (terminal: Terminal, { user, workspace: of }: UserOptions): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const workspace = await chooseWorkspace(db, of)
    const tokens = (await listAccessTokens(db, workspace.id, user, ALL))?.data ?? []
    const rows = tokens.map(({ id, name, createdAt, revokedAt }) => [id, name, shownTime(createdAt), shownTime(revokedAt)])
    for (const line of table(['ID', 'NAME', 'CREATED', 'REVOKED'], rows)) terminal.out(line)
  })

const tokenChange = (done: 'issued' | 'revoked', id: string, name: string): Change => ({
  done,
  object: 'access_token',
  id,
  name,
  fields: [],
})
