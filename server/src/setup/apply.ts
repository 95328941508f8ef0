import { ConfigError } from '../config/environment.ts'
import type { Tx } from '../db/database.ts'
import { applyAdminTokens } from './apply-admin-tokens.ts'
import { applyWorkspace } from './apply-workspace.ts'
import { type Change, DeclarationConflict, within } from './change.ts'
import { type ChangeDeps, changeServer } from './change-recorded.ts'
import type { GatehouseFile } from './gatehouse-file.ts'
import { type ApplyMode, Ledger } from './ledger.ts'
import { publishChanges } from './signals.ts'
import { setupTransaction } from './transaction.ts'

export interface ApplyOptions extends ChangeDeps {
  /** Work out the changes and keep none of them. */
  readonly dryRun?: boolean
  /** Default: everything, whether it was applied before or not. */
  readonly mode?: ApplyMode
}

/**
 * Makes the database what the file declares, and answers what that changed; applied again, it changes nothing. One transaction
 * for each Workspace and one for the admin tokens, audit records included. Throws a ConfigError that names the line when the
 * file cannot be met as the database stands; that Workspace is then as it was, and those after it are not looked at.
 */
export async function applyConfiguration(file: GatehouseFile, options: ApplyOptions): Promise<Change[]> {
  const { database, clock, dryRun, mode = 'all' } = options
  const { adminTokens, workspaces } = file.declaration
  const changes: Change[] = []
  try {
    for (const [index, workspace] of workspaces.entries()) {
      const applied = await within(`workspaces[${index}]`, () =>
        setupTransaction(database.db, (tx) => applyWorkspace(tx, workspace, clock.now(), options, { mode }), dryRun),
      )
      changes.push(...applied.changes)
      if (!dryRun) await publishChanges(database.signal, applied.workspaceId, applied.changes)
    }
    const applyServer = async (tx: Tx, now: Date): Promise<Change[]> => {
      const ledger = await Ledger.open(tx, undefined, mode, now)
      const applied = await applyAdminTokens(tx, adminTokens, now, ledger)
      await ledger.close()
      return applied
    }
    changes.push(...(await changeServer(options, applyServer, dryRun)))
    return changes
  } catch (error) {
    throw error instanceof DeclarationConflict ? new ConfigError(file.describe(error.param, error.message)) : error
  }
}
