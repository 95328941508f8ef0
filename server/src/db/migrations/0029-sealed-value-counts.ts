import { type Kysely, sql } from 'kysely'

/** How many values each secret key has sealed, by column; key_id is empty for values that no configured key opens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table sealed_value_count (
    table_name text not null,
    column_name text not null,
    key_id text not null,
    total bigint not null,
    counted_at timestamptz not null,
    primary key (table_name, column_name, key_id)
  )`.execute(db)
}
