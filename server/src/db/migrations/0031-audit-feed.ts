import { type Kysely, sql } from 'kysely'

/** Positions of processes that send audit records to other systems, by their names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table audit_feed (name text primary key, position text not null, updated_at timestamptz not null)`.execute(db)
}
