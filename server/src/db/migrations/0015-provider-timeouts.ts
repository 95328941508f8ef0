import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Answers may take minutes: a provider has an idle limit of its own (null: the server's setting), and the total of an attempt rises
 * where it stood at the former default. An older node reads neither and works with both.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table provider add column idle_timeout_ms integer`.execute(db)
  await sql`update provider set timeout_ms = 600000 where timeout_ms = 60000`.execute(db)
}
