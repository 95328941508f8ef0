import { type Kysely, sql } from 'kysely'

/** Views of lists that operators save. A private view is removed with the operator: `private_to` is the operator who sees it. */
const STATEMENTS = [
  `create table saved_view (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    page text not null,
    name text not null,
    query jsonb not null,
    columns jsonb,
    shared boolean not null,
    owner text not null,
    private_to text references operator on delete cascade,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index saved_view_workspace on saved_view (workspace_id, id)',
  'create unique index saved_view_name on saved_view (workspace_id, owner, page, name)',
  'create index saved_view_operator on saved_view (private_to)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
