import { type Resumption, resumeSigning } from '../../domains/audit/checkpoints/resume-signing.ts'
import { describeFault } from '../../domains/audit/checkpoints/verified-seal.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { workspaceKeys } from './verification.ts'
import { withDatabase } from './with-database.ts'

/**
 * `gatehouse audit resume`: resumes the signing of checkpoints; needs the secret key. Running nodes sign again within a minute.
 */
export const auditResume = (terminal: Terminal, options: { workspace?: string; acceptAsFound?: boolean }): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { id, name } = await chooseWorkspace(context.database.db, options.workspace)
    const keys = await workspaceKeys(context, id)
    const accept = options.acceptAsFound === true
    printResumption(terminal, name, await resumeSigning(context.database.db, id, keys, { accept, clock: context.clock }))
  })

function printResumption({ out, note }: Terminal, name: string, resumption: Resumption): void {
  if (resumption.done === 'refused') {
    throw new CommandFailure(
      `the audit log of ${name} does not verify: ${describeFault(resumption.fault)}. Restore it from a backup, or keep a copy of ` +
        'the database as evidence and accept its current state with --accept-as-found.',
    )
  }
  if (resumption.done === 'nothing') out(`${name}: the log verifies; signing was not stopped`)
  else if (resumption.done === 'resumed') out(`${name}: the log verifies; checkpoints are signed again (${resumption.auditId})`)
  else {
    const { through, removed, auditId } = resumption
    if (removed.length > 0) note(`${name}: these checkpoints were removed; keep their lines as evidence`)
    for (const checkpoint of removed) out(JSON.stringify(checkpoint))
    note(`${name}: accepted as found; records up to ${through} are no longer checked (${auditId})`)
  }
}
