import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

/** PostgreSQL: somebody else has that name. */
const UNIQUE_VIOLATION = '23505'

/** What `write` answers; 'taken' when it ran into a unique constraint. The transaction goes on either way. */
export async function writeUnlessTaken<T>(tx: Tx, write: () => Promise<T>): Promise<T | 'taken'> {
  await sql`savepoint unless_taken`.execute(tx)
  try {
    const answer = await write()
    await sql`release savepoint unless_taken`.execute(tx)
    return answer
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== UNIQUE_VIOLATION) throw error
    await sql`rollback to savepoint unless_taken`.execute(tx)
    return 'taken'
  }
}
