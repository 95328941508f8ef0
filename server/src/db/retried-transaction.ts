import type { Db, Tx } from './database.ts'

/** PostgreSQL ended one of two transactions that waited for each other: it may succeed when it is repeated. */
const REPEATABLE = new Set(['40P01', '40001'])
const TRIES = 4

/** Runs `work` in a transaction, and again where it met a deadlock: whatever it does outside of `tx`, it may do twice. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === TRIES || !REPEATABLE.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}
