import type { Db, Tx } from './database.ts'

/** PostgreSQL error codes of a deadlock and of a serialization failure: the transaction may succeed when it is repeated. */
const REPEATABLE = new Set(['40P01', '40001'])

/** Runs `work` in a transaction, up to four times if there is a deadlock: effects of `work` outside `tx` may happen more than once. */
export const inTransaction = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  repeated(() => db.transaction().execute(work))

/** Runs a transaction, up to four times if there is a deadlock. */
export async function repeated<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === 4 || !REPEATABLE.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}
