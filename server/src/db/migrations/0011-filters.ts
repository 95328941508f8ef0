import type { Kysely } from 'kysely'
import { FILTER_INDEXES, indexSmallTables } from '../deferred-indexes.ts'

/** Indexes for lists that filter on rare values. A table that is large already gets its own after the start. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexSmallTables(db, FILTER_INDEXES)
}
