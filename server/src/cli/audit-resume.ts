import { type Resumption, resumeSigning } from '../audit/resume-signing.ts'
import { describeBad } from '../audit/vouching.ts'
import { chooseWorkspace } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { withDatabase } from './with-database.ts'
import { workspaceKeys } from './workspace-keys.ts'

/** `gatehouse audit resume`: takes the secret key, as every command on the database does. Running nodes sign again within a minute. */
export const auditResume = (terminal: Terminal, options: { workspace?: string; acceptAsFound?: boolean }): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    const { id, name } = await chooseWorkspace(bench.database.db, options.workspace)
    const keys = await workspaceKeys(bench, id)
    const accept = options.acceptAsFound === true
    tell(terminal, name, await resumeSigning(bench.database.db, id, keys, { accept, now: bench.clock.now() }))
  })

function tell({ out, note }: Terminal, name: string, resumption: Resumption): void {
  switch (resumption.done) {
    case 'nothing':
      return out(`${name}: the log verifies and nothing had stopped it`)
    case 'resumed':
      return out(`${name}: the log verifies; checkpoints are signed again (recorded as ${resumption.auditId})`)
    case 'accepted':
      note(`${name}: ${resumption.removed.length} checkpoints were taken out; keep these lines as evidence`)
      for (const checkpoint of resumption.removed) out(JSON.stringify(checkpoint))
      return note(
        `${name}: accepted as found; records up to ${resumption.through} are not checked any more (recorded as ${resumption.auditId})`,
      )
    case 'refused':
      throw new CommandProblem(
        `the audit log of ${name} does not verify: ${describeBad(resumption.bad)}. Restore it from a backup, or keep a copy of ` +
          'the database as evidence and accept it as it stands with --accept-as-found.',
      )
  }
}
