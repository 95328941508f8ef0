import { type Kysely, sql } from 'kysely'

/** Drafts and test cases of policies are kept on the server, and a version has the note of its publication (decision 0033). */
const STATEMENTS = [
  `create table policy_draft (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    title text not null,
    note text not null,
    source text not null,
    base_id uuid references policy_set on delete set null,
    author text not null,
    edited_by text not null,
    revision integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    recorded_at timestamptz not null
  )`,
  'create index policy_draft_workspace on policy_draft (workspace_id, id)',
  'create index policy_draft_base on policy_draft (base_id)',
  `create table policy_test (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    name text not null,
    file text,
    definition jsonb not null,
    created_by text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index policy_test_workspace on policy_test (workspace_id, id)',
  `alter table policy_set add column note text not null default ''`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
