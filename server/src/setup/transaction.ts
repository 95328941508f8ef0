import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { withLongStatements } from '../db/long-statements.ts'

/** Of pg_advisory_xact_lock: whoever sets up, on whichever node, does so alone. */
const LOCK = 7_241_001

class RolledBack<T> extends Error {
  readonly answer: T

  constructor(answer: T) {
    super('rolled back as wished')
    this.answer = answer
  }
}

/** Runs `work` in one transaction, one at a time across all nodes; with `dryRun` its answer stands and nothing else does. */
export async function setupTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>, dryRun = false): Promise<T> {
  try {
    return await db.transaction().execute(async (tx) => {
      const answer = await withLongStatements(tx, async () => {
        await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
        return work(tx)
      })
      if (dryRun) throw new RolledBack(answer)
      return answer
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.answer
    throw error
  }
}
