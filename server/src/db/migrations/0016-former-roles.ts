import { type Kysely, sql } from 'kysely'

/** Whether an operator once had a role that can cause requests: four eyes do not count them. An older node leaves it as it is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table operator add column could_cause_requests boolean not null default false`.execute(db)
}
