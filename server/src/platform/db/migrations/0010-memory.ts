import { execute } from './execute.ts'

/** Memories, their owners and their index entries. Every index begins with Workspace and owner. */
export const up = execute([
  `create table memory_owner (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    key text not null,
    scope text not null,
    scope_id text not null,
    application_id uuid,
    user_id text,
    unique (workspace_id, key)
  )`,
  'create index memory_owner_user on memory_owner (workspace_id, user_id) where user_id is not null',
  'create index memory_owner_scope on memory_owner (workspace_id, scope, scope_id)',
  `create table memory_partition (
    workspace_id uuid not null references workspace,
    owner_id uuid not null references memory_owner on delete cascade,
    classification text not null,
    partition_id bigint not null,
    language text not null,
    primary key (owner_id, classification)
  )`,
  `create table memory_item (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    owner_id uuid not null references memory_owner,
    application_id uuid not null,
    kind text not null,
    content text not null,
    summary text,
    subject text,
    classification text not null,
    regulations jsonb not null,
    content_hash text not null,
    signature text not null,
    mode text not null,
    source text not null,
    audit_id uuid not null,
    message_id text,
    created_at timestamptz not null,
    expires_at timestamptz,
    superseded_by uuid references memory_item,
    superseded_at timestamptz,
    partition_id bigint
  )`,
  'create index memory_item_list on memory_item (workspace_id, id)',
  'create index memory_item_owner on memory_item (workspace_id, owner_id, id)',
  'create index memory_item_content on memory_item (workspace_id, owner_id, content_hash) where superseded_at is null',
  'create index memory_item_signature on memory_item (workspace_id, owner_id, signature) where superseded_at is null',
  `create index memory_item_subject on memory_item (workspace_id, owner_id, subject)
    where superseded_at is null and subject is not null`,
  'create index memory_item_history on memory_item (superseded_by) where superseded_by is not null',
  'create index memory_item_expiry on memory_item (expires_at) where expires_at is not null',
  // For lists that filter on a rare value.
  'create index memory_item_application on memory_item (workspace_id, application_id, id)',
  `create index memory_item_mode on memory_item (workspace_id, mode, id) where mode <> 'active'`,
])
