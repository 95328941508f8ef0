import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** A provider names the server whose differences from OpenAI its requests respect. Providers that an older node writes have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table provider add column preset text`.execute(db)
}
