import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Some models of a provider exist only in its Responses API. An older node sends all of them to chat completions, as before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table model add column api text not null default 'chat'`.execute(db)
}
