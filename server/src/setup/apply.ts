import { ConfigError } from '../config/environment.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { applyAdminTokens } from './apply-admin-tokens.ts'
import { type ApplyDeps, applyWorkspace } from './apply-workspace.ts'
import { type Change, DeclarationConflict, within } from './change.ts'
import type { GatehouseFile } from './gatehouse-file.ts'
import { publishChanges } from './signals.ts'
import { setupTransaction } from './transaction.ts'

export interface ApplyOptions extends ApplyDeps {
  readonly database: Pick<Database, 'db' | 'signal'>
  readonly clock: Clock
  /** Work out the changes and keep none of them. */
  readonly dryRun?: boolean
}

/**
 * Makes the database what the file declares, and answers what that changed; applied again, it changes nothing. One transaction
 * for the admin tokens and one for each Workspace, audit records included. Throws a ConfigError that names the line when the
 * file cannot be met as the database stands; that Workspace is then as it was, and those after it are not looked at.
 */
export async function applyConfiguration(file: GatehouseFile, options: ApplyOptions): Promise<Change[]> {
  const { database, clock, dryRun } = options
  const { adminTokens, workspaces } = file.declaration
  const now = clock.now()
  const changes: Change[] = []
  const done = async (key: string, more: readonly Change[]): Promise<void> => {
    changes.push(...more)
    if (!dryRun) await publishChanges(database.signal, key, more)
  }
  try {
    await done('', await setupTransaction(database.db, (tx) => applyAdminTokens(tx, adminTokens, now), dryRun))
    for (const [index, workspace] of workspaces.entries()) {
      const applied = await within(`workspaces[${index}]`, () =>
        setupTransaction(database.db, (tx) => applyWorkspace(tx, workspace, now, options), dryRun),
      )
      await done(applied.workspaceId, applied.changes)
    }
    return changes
  } catch (error) {
    throw error instanceof DeclarationConflict ? new ConfigError(file.describe(error.param, error.message)) : error
  }
}
