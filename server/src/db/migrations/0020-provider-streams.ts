import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Chat responses are requested as streams, unless the provider refuses them. A stream may take up to an hour: the total of an attempt
 * rises where it stood at the former default. An older node reads no `stream` and works with both totals.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table provider add column stream boolean not null default true`.execute(db)
  await sql`update provider set timeout_ms = 3600000 where timeout_ms = 600000`.execute(db)
}
