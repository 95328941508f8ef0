import type { Kysely } from 'kysely'
import { indexSmallTables, SEARCH_INDEXES } from '../deferred-indexes.ts'

/** The index of message searches. A table that is large already gets its own after the start. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexSmallTables(db, SEARCH_INDEXES)
}
