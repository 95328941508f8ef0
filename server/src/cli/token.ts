import { createAdminToken, listAdminTokens, revokeAdminToken } from '../applications/admin-token-store.ts'
import type { Change } from '../setup/change.ts'
import { changeServer } from '../setup/change-recorded.ts'
import { ALL } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { shownTime, table } from './table.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse token create`: the token alone on standard output. */
export const tokenCreate = (terminal: Terminal, { name }: { name: string }): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    let secret = ''
    const [change] = await changeServer(bench, async (tx, now) => {
      const { id, token } = await createAdminToken(tx, name, now)
      secret = token
      return [tokenChange('issued', id, name)]
    })
    terminal.out(secret)
    terminal.note(`${change?.id}: kept nowhere, so copy it now`)
  })

/** `gatehouse token revoke ID` */
export const tokenRevoke = (terminal: Terminal, id: string): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    await changeServer(bench, async (tx, now) => {
      const token = await revokeAdminToken(tx, id, now)
      if (!token) throw new CommandProblem(`there is no admin token ${id}: \`gatehouse token list\` shows them`)
      return [tokenChange('revoked', id, token.name)]
    })
    terminal.note(`${id} is revoked`)
  })

/** `gatehouse token list` */
export const tokenList = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const tokens = (await listAdminTokens(db, ALL))?.data ?? []
    const rows = tokens.map(({ id, name, createdAt, revokedAt }) => [id, name, shownTime(createdAt), shownTime(revokedAt)])
    for (const line of table(['ID', 'NAME', 'CREATED', 'REVOKED'], rows)) terminal.out(line)
  })

const tokenChange = (done: 'issued' | 'revoked', id: string, name: string): Change => ({
  done,
  object: 'admin_token',
  id,
  name,
  fields: [],
})
