import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'

/** Milliseconds, as PostgreSQL reads settings. */
const LONG = '120000'
const INDEX_BUILD_MS = 3_600_000

/**
 * Runs `work` with longer time limits than those of the connection (connections.ts): for statements whose work grows with a document,
 * folder or collection. Afterwards the usual limit for idle transactions applies again, because the audit record that follows locks
 * the end of the audit chain.
 */
export async function withLongStatements<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ idle: string }>`
    select current_setting('idle_in_transaction_session_timeout') as idle,
      set_config('lock_timeout', ${LONG}, true)`.execute(tx)
  await sql`select set_config('idle_in_transaction_session_timeout', ${LONG}, true)`.execute(tx)
  await sql`set local statement_timeout = ${sql.raw(LONG)}`.execute(tx)
  const result = await work()
  await sql`select set_config('idle_in_transaction_session_timeout', ${rows[0]?.idle ?? '0'}, true)`.execute(tx)
  return result
}

/** Runs `work` on one connection without a transaction, where statements may take an hour: for `create index concurrently`.
 * `db` is `Database.sessionDb`, because settings and statements must share a connection. */
export function withoutTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ usual: string; lock: string }>`
      select current_setting('statement_timeout') as usual, current_setting('lock_timeout') as lock`.execute(connection)
    await sql`set lock_timeout = 0`.execute(connection)
    await sql`set statement_timeout = ${sql.lit(INDEX_BUILD_MS)}`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`reset statement_timeout`.execute(connection)
      await sql`select set_config('statement_timeout', ${rows[0]?.usual ?? '0'}, false),
        set_config('lock_timeout', ${rows[0]?.lock ?? '0'}, false)`.execute(connection)
    }
  })
}
