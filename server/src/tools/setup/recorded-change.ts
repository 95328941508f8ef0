import type { Database, Tx } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { ApplyContext, ApplyDeps } from './apply-context.ts'
import type { Change } from './change.ts'
import { recordChanges, recordForServer } from './record-changes.ts'
import { publishChanges } from './signals.ts'
import { setupTransaction } from './transaction.ts'

export interface ChangeDeps extends ApplyDeps {
  readonly database: Pick<Database, 'db' | 'signal'>
  readonly clock: Clock
}

/** Changes a Workspace in one transaction, with audit records, and signals the change to the running nodes. */
export async function changeWorkspace(
  { database, clock, ...boxes }: ChangeDeps,
  workspaceId: string,
  work: (context: ApplyContext) => Promise<readonly Change[]>,
): Promise<readonly Change[]> {
  const changes = await setupTransaction(database.db, async (tx) => {
    const context = { tx, workspaceId, now: clock.now(), ...boxes }
    const changes = await work(context)
    await recordChanges(context, changes)
    return changes
  })
  await publishChanges(database.signal, workspaceId, changes)
  return changes
}

/** The same for changes of the whole server, for example admin tokens. `dryRun` returns the changes and makes none. */
export async function changeServer(
  { database, clock, workspaceBox }: ChangeDeps,
  work: (tx: Tx, now: Date) => Promise<readonly Change[]>,
  dryRun = false,
): Promise<readonly Change[]> {
  const changes = await setupTransaction(
    database.db,
    async (tx) => {
      const now = clock.now()
      const changes = await work(tx, now)
      await recordForServer({ tx, now, workspaceBox }, changes)
      return changes
    },
    dryRun,
  )
  if (!dryRun) await publishChanges(database.signal, '', changes)
  return changes
}
