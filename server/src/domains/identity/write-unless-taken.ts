import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'

const UNIQUE_VIOLATION = '23505'

/** Returns the result of `write`, or 'taken' if it violates a unique constraint. The transaction can continue in both cases. */
export async function writeUnlessTaken<T>(tx: Tx, write: () => Promise<T>): Promise<T | 'taken'> {
  await sql`savepoint unless_taken`.execute(tx)
  try {
    const result = await write()
    await sql`release savepoint unless_taken`.execute(tx)
    return result
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== UNIQUE_VIOLATION) throw error
    await sql`rollback to savepoint unless_taken`.execute(tx)
    return 'taken'
  }
}
