import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'

/** Milliseconds, as text: PostgreSQL reads settings in that form. */
const LONG = '120000'
const INDEX_BUILD_MS = 3_600_000

/**
 * Lets the statements of `work` take longer than the limits of the connection (connections.ts): for what grows with a document, a
 * folder or a collection. What follows in the transaction, as the record of it, may idle no longer than usual again: the end of
 * the audit chain is locked from there on.
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

/** Runs `work` on one connection, outside a transaction, where statements may take an hour: for building indexes concurrently. */
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
