import { type Kysely, sql } from 'kysely'

/** A migration that runs these statements in this order. */
export const execute =
  (statements: readonly string[]) =>
  async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
