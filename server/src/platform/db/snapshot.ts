import type { Db, Tx } from './database.ts'

/**
 * Runs reads that must fit together: all of them see the database as it was at the first of them. They must use `tx`, because the
 * embedded database runs one transaction at a time; keep them short for the same reason.
 */
export const inSnapshot = <T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
