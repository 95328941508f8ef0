import type { KyselyPlugin } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'

/** The largest number of rows that a statement of `work` returns. */
export async function mostRows(db: Db, work: (db: Db) => Promise<unknown>): Promise<number> {
  let most = 0
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      most = Math.max(most, result.rows.length)
      return result
    },
  }
  await work(db.withPlugin(counting))
  return most
}
