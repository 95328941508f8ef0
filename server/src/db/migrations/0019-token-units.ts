import { type Kysely, sql } from 'kysely'
import { indexSmallTables, USAGE_INDEXES } from '../deferred-indexes.ts'

/** Prices of cached tokens, and the column and index with which statistics count them. An older node writes null to all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table model
    add column cache_read_price double precision,
    add column cache_write_price double precision,
    add column cache_write_1h_price double precision`.execute(db)
  await sql`alter table audit_record add column cache_read_tokens integer`.execute(db)
  await indexSmallTables(db, USAGE_INDEXES)
}
