import { SCOPES, type Scope } from '../domain/scope.ts'
import { createAdminToken, listAdminTokens, revokeAdminToken } from '../operators/admin-token-store.ts'
import { withdrawInvitationsOf } from '../operators/invitation-store.ts'
import type { Change } from '../setup/change.ts'
import { changeServer } from '../setup/recorded-change.ts'
import { ALL } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { shownTime, table } from './table.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse token create`: the token alone on standard output. */
export const tokenCreate = (terminal: Terminal, { name, scope }: { name: string; scope?: readonly string[] }): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    let secret = ''
    const [change] = await changeServer(bench, async (tx, now) => {
      const { id, token } = await createAdminToken(tx, { name, scopes: scopesOf(scope) }, now)
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
      await withdrawInvitationsOf(tx, id)
      return [tokenChange('revoked', id, token.name)]
    })
    terminal.note(`${id} is revoked`)
  })

/** `gatehouse token list` */
export const tokenList = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const tokens = (await listAdminTokens(db, ALL))?.data ?? []
    const rows = tokens.map(({ id, name, effectiveScopes, state, issuedBy, createdAt, revokedAt }) => {
      const may = effectiveScopes.length === SCOPES.length ? 'all' : state === 'ended' ? 'ended' : effectiveScopes.join(' ')
      return [id, name, issuedBy ?? 'server', shownTime(createdAt), shownTime(revokedAt), may]
    })
    for (const line of table(['ID', 'NAME', 'ISSUED BY', 'CREATED', 'REVOKED', 'SCOPES'], rows)) terminal.out(line)
  })

/** Undefined: all. */
function scopesOf(given: readonly string[] | undefined): readonly Scope[] | undefined {
  const unknown = given?.find((name) => !SCOPES.some((scope) => scope === name))
  if (unknown !== undefined) throw new CommandProblem(`there is no scope ${unknown}: there are ${SCOPES.join(', ')}`)
  return given && SCOPES.filter((scope) => given.includes(scope))
}

const tokenChange = (done: 'issued' | 'revoked', id: string, name: string): Change => ({
  done,
  object: 'admin_token',
  id,
  name,
  fields: [],
})
