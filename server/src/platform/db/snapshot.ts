import type { Db, Tx } from './database.ts'

/** Runs reads that see the database as it was at the first of them. Keep them short: the embedded database runs one transaction at a time. */
export const inSnapshot = <T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
