import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'

/** While a change waits for the lock of a table, other statements wait for the change. So it stops after this time and tries again. */
const TABLE_LOCK_MS = 500
const PAUSE_MS = 1_000
const TRIES = 5

/** PostgreSQL error codes. */
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/** Runs `work`, which locks a table, in a transaction that gives up soon where it waits for a lock, and is then tried again. */
export async function changeTable<DB>(db: Kysely<DB>, work: (tx: Transaction<DB>) => Promise<void>): Promise<void> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await db.transaction().execute(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(TABLE_LOCK_MS)}`.execute(tx)
        await work(tx)
      })
    } catch (error) {
      const { code } = error as { code?: string }
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || left === 0) throw error
      await sleep(PAUSE_MS)
    }
  }
}
