import { type Kysely, sql } from 'kysely'

/**
 * Keys that expire and that were replaced, and the operators who have dismissed the setup checklist. An older node ignores the expiry of
 * a key until it is upgraded.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_key
    add column expires_at timestamptz,
    add column replaced_by uuid`.execute(db)
  await sql`create table setup_dismissal (
    workspace_id uuid not null references workspace (id) on delete cascade,
    operator_id text not null references operator (id) on delete cascade,
    dismissed_at timestamptz not null,
    primary key (workspace_id, operator_id)
  )`.execute(db)
}
