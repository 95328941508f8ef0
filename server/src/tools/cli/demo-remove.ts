import { findWorkspaceByIssuer } from '../../domains/identity/workspace-store.ts'
import { lockOwners } from '../../domains/operators/operator-store.ts'
import { repeated } from '../../platform/db/retried-transaction.ts'
import { DEMO_ISSUER } from '../../shared/demo-words.ts'
import { countContents } from '../demo/removal/demo-contents.ts'
import { announceRemoval, removeDemo } from '../demo/removal/remove-demo.ts'
import { setupTransaction } from '../setup/recorded-change.ts'
import { CommandFailure, printTable, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

export const demoRemove = (terminal: Terminal, { confirm }: { readonly confirm?: string }): Promise<void> =>
  withDatabase(terminal, async ({ database, workspaceBox, clock, config: { dataDir } }) => {
    const demo = await findWorkspaceByIssuer(database.db, DEMO_ISSUER)
    if (!demo) throw new CommandFailure('this server has no demo')
    if (confirm === undefined) {
      const contents = await countContents(database.db, demo)
      const rows = contents.map(({ kind, total, added, names }) => [
        kind.replaceAll('_', ' '),
        String(total),
        String(added),
        names.join(', '),
      ])
      printTable(terminal, ['DELETED', 'TOTAL', 'ADDED SINCE', 'NAMES'], rows)
      throw new CommandFailure(`nothing was deleted: run it again with --confirm ${demo.name}`)
    }
    if (confirm !== demo.name) throw new CommandFailure(`nothing was deleted: the Workspace of the demo is ${demo.name}`)
    const removal = await repeated(() =>
      setupTransaction(database.db, async (tx) => {
        await lockOwners(tx)
        return removeDemo(tx, confirm, { actor: null, now: clock.now(), workspaceBox })
      }),
    )
    if (!removal.ok)
      throw new CommandFailure(
        'the demo is the only Workspace: create another one first, in the dashboard or with `gatehouse apply`',
      )
    await announceRemoval(removal, { signal: database.signal, dataDir })
    terminal.note(`the demo was deleted${removal.isOwnerKept ? '; its owner stays, because there is no other owner' : ''}`)
  })
