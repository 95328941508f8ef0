import { type Kysely, sql } from 'kysely'

/**
 * Responses that clients of the responses API continue. `previous_id` references no row, because a response can be deleted while
 * others continue it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table stored_response (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    application_id uuid not null references application on delete cascade,
    user_id text not null,
    user_verified boolean not null,
    previous_id uuid,
    content bytea not null,
    bytes integer not null,
    created_at timestamptz not null
  )`.execute(db)
  await sql`create index stored_response_expiry on stored_response (workspace_id, application_id, created_at)`.execute(db)
  await sql`create index stored_response_user on stored_response (workspace_id, user_id)`.execute(db)
}
