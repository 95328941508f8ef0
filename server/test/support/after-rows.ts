import type { KyselyPlugin, UnknownRow } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'

/** Calls `listener` with the rows of each statement before it returns. */
const onRows = (listener: (rows: readonly UnknownRow[]) => unknown): KyselyPlugin => ({
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    await listener(result.rows)
    return result
  },
})

/** Runs `work` before a statement returns whose first row matches: another node does it in that moment. */
export const afterRows = (matches: (first: UnknownRow) => boolean, work: () => Promise<unknown>): KyselyPlugin =>
  onRows(([first]) => first && matches(first) && work())

/** The largest number of rows that a statement of `work` returns. */
export async function mostRows(db: Db, work: (db: Db) => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  await work(db.withPlugin(onRows((rows) => counts.push(rows.length))))
  return Math.max(0, ...counts)
}
