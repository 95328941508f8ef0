import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Work that is done after its request keeps the request's trace. Of rows that an older node writes none is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['event_outbox', 'event_log', 'webhook_delivery', 'assistant_turn']) {
    await sql`alter table ${sql.table(table)} add column traceparent text`.execute(db)
  }
}
