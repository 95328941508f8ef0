import { type Kysely, sql } from 'kysely'

/**
 * What the configuration file declared when each of its things was last applied, so that a start applies only what has changed in
 * the file. `workspace_id` is the nil UUID for things of the whole server; `name` is hashed for users.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table applied_declaration (
    workspace_id uuid not null,
    object text not null,
    name text not null,
    hash text not null,
    applied_at timestamptz not null,
    primary key (workspace_id, object, name)
  )`.execute(db)
}
