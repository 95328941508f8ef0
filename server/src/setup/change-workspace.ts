import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { record, type Scope } from './apply-workspace.ts'
import type { Change } from './change.ts'
import { publishChanges } from './signals.ts'
import { setupTransaction } from './transaction.ts'

export interface ChangeDeps {
  readonly database: Pick<Database, 'db' | 'signal'>
  readonly clock: Clock
  readonly providerBox: SecretBox
}

/** Changes something in a Workspace that is there: in one transaction, recorded, and told to the running nodes. */
export async function changeWorkspace(
  { database, clock, providerBox }: ChangeDeps,
  workspaceId: string,
  work: (scope: Scope) => Promise<readonly Change[]>,
): Promise<readonly Change[]> {
  const changes = await setupTransaction(database.db, async (tx) => {
    const scope = { tx, workspaceId, now: clock.now(), providerBox }
    const done = await work(scope)
    await record(scope, done)
    return done
  })
  await publishChanges(database.signal, workspaceId, changes)
  return changes
}
