import { execute } from './execute.ts'

/** Policy sets, and drafts and test cases of policies (docs/decisions/0005-policies.md). */
export const up = execute([
  `create table policy_set (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    version integer not null,
    sha256 text not null,
    source text not null,
    published_by text not null,
    note text not null default '',
    created_at timestamptz not null,
    unique (workspace_id, name, version)
  )`,
  'alter table workspace add foreign key (active_policy_id) references policy_set',
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
])
