import { type Kysely, sql } from 'kysely'

/** Prices of reasoning and of requests. An older node writes null to both, as for a model without them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table model
    add column reasoning_price double precision,
    add column request_price double precision`.execute(db)
}
