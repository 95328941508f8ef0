import { createAdminToken, listAdminTokens, revokeAdminToken } from '../applications/admin-token-store.ts'
import { publishChanges } from '../setup/signals.ts'
import { ALL } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { shownTime, table } from './table.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse token create`: the token alone on standard output. */
export const tokenCreate = (terminal: Terminal, { name }: { name: string }): Promise<void> =>
  withDatabase(terminal, async ({ database: { db }, clock }) => {
    const { id, token } = await createAdminToken(db, name, clock.now())
    terminal.out(token)
    terminal.note(`${id}: kept nowhere, so copy it now`)
  })

/** `gatehouse token revoke ID` */
export const tokenRevoke = (terminal: Terminal, id: string): Promise<void> =>
  withDatabase(terminal, async ({ database: { db, signal }, clock }) => {
    const token = await revokeAdminToken(db, id, clock.now())
    if (!token) throw new CommandProblem(`there is no admin token ${id}: \`gatehouse token list\` shows them`)
    await publishChanges(signal, id, [{ done: 'revoked', object: 'admin_token', id, name: token.name, fields: [] }])
    terminal.note(`${id} is revoked`)
  })

/** `gatehouse token list` */
export const tokenList = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const tokens = (await listAdminTokens(db, ALL))?.data ?? []
    const rows = tokens.map(({ id, name, createdAt, revokedAt }) => [id, name, shownTime(createdAt), shownTime(revokedAt)])
    for (const line of table(['ID', 'NAME', 'CREATED', 'REVOKED'], rows)) terminal.out(line)
  })
