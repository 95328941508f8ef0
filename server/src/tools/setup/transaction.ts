import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { withLongStatements } from '../../platform/db/long-statements.ts'

/** Advisory lock: one setup at a time over all nodes. The number is arbitrary and used only here. */
const LOCK = 7_241_001

class DryRunRollback<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('dry run: rolled back')
    this.result = result
  }
}

/** Runs `work` in a transaction, one at a time over all nodes. `dryRun` rolls back and still returns the result. */
export async function setupTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>, dryRun = false): Promise<T> {
  try {
    return await db.transaction().execute(async (tx) => {
      const result = await withLongStatements(tx, async () => {
        await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
        return work(tx)
      })
      if (dryRun) throw new DryRunRollback(result)
      return result
    })
  } catch (error) {
    if (error instanceof DryRunRollback) return error.result
    throw error
  }
}
