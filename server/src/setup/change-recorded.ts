import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Change } from './change.ts'
import { recordChanges, recordForServer } from './record-changes.ts'
import type { ApplyDeps, Scope } from './scope.ts'
import { publishChanges } from './signals.ts'
import { setupTransaction } from './transaction.ts'

export interface ChangeDeps extends ApplyDeps {
  readonly database: Pick<Database, 'db' | 'signal'>
  readonly clock: Clock
}

/** Changes something in a Workspace that is there: in one transaction, recorded, and told to the running nodes. */
export async function changeWorkspace(
  { database, clock, ...boxes }: ChangeDeps,
  workspaceId: string,
  work: (scope: Scope) => Promise<readonly Change[]>,
): Promise<readonly Change[]> {
  const changes = await setupTransaction(database.db, async (tx) => {
    const scope = { tx, workspaceId, now: clock.now(), ...boxes }
    const done = await work(scope)
    await recordChanges(scope, done)
    return done
  })
  await publishChanges(database.signal, workspaceId, changes)
  return changes
}

/** Changes something of the server itself, as its admin tokens. With `dryRun` the answer stands, and nothing else. */
export async function changeServer(
  { database, clock, workspaceBox }: ChangeDeps,
  work: (tx: Tx, now: Date) => Promise<readonly Change[]>,
  dryRun = false,
): Promise<readonly Change[]> {
  const changes = await setupTransaction(
    database.db,
    async (tx) => {
      const now = clock.now()
      const done = await work(tx, now)
      await recordForServer({ tx, now, workspaceBox }, done)
      return done
    },
    dryRun,
  )
  if (!dryRun) await publishChanges(database.signal, '', changes)
  return changes
}
