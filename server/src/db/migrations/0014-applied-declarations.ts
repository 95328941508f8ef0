import { type Kysely, sql } from 'kysely'

/**
 * The declarations of the configuration file as they were last applied, so that a start applies only those that have changed.
 * `workspace_id` is the nil UUID for declarations of the whole server; `name` is hashed for users.
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
