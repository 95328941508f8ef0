import { ConfigError } from '../../platform/config/environment.ts'
import type { Tx } from '../../platform/db/database.ts'
import { applyAdminTokens } from './apply-admin-tokens.ts'
import { applyWorkspace } from './apply-workspace.ts'
import { type Change, DeclarationConflict, locateConflicts } from './change.ts'
import type { GatehouseFile } from './gatehouse-file.ts'
import { type ApplyMode, Ledger } from './ledger.ts'
import { type ChangeDeps, changeServer, publishChanges, setupTransaction } from './recorded-change.ts'

export interface ApplyOptions extends ChangeDeps {
  /** Returns the changes and makes none. */
  readonly dryRun?: boolean
  /** Default: all. */
  readonly mode?: ApplyMode
}

/**
 * Applies the file to the database and returns the changes. Uses one transaction for each Workspace and one for the admin tokens, with
 * their audit records. Throws a ConfigError with the line if the database does not allow a declaration: the Workspaces before it are
 * applied, that one and those after it are not.
 */
export async function applyConfiguration(file: GatehouseFile, options: ApplyOptions): Promise<Change[]> {
  const { database, clock, dryRun, mode = 'all' } = options
  const { adminTokens, workspaces } = file.declaration
  const changes: Change[] = []
  try {
    for (const [index, workspace] of workspaces.entries()) {
      const applied = await locateConflicts(`workspaces[${index}]`, () =>
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
