import { type Kysely, sql } from 'kysely'

/** Issuers of credentials, invitations and passwords; the key that opened a review item; the objects of a stored response. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // An operator's id, or an admin token's that no operator issued; null: issued on the server itself, or before this migration.
  `alter table api_key add column issued_by text`,
  `alter table access_token add column issued_by text`,
  // As above, with 'server' for what was issued on the server itself: here null means unknown, and unknown is not trusted.
  `alter table operator_invitation add column issued_by text`,
  `alter table operator add column invited_by text`,
  `alter table operator add column password_by text`,
  // Their single sign-on names no role for them any more.
  `alter table operator add column suspended_at timestamptz`,
  `alter table review_item add column key_id uuid`,
  `alter table review_item add column key_issuers text[] not null default '{}'`,
  // Ids of the objects of a response, which is erased when one of them is deleted. null: stored by an older version.
  `alter table idempotency_key add column object_ids text[]`,
  `create index idempotency_key_objects on idempotency_key using gin (object_ids)`,
]
