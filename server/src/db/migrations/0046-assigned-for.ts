import { type Kysely, sql } from 'kysely'

/** The absent operator whose delegate a review item is assigned to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table review_item add column assigned_for text`.execute(db)
}
