import { execute } from './execute.ts'

/** Workspaces, their Applications and keys, and their users. Ids are UUIDv7; every index begins with the owner. */
export const up = execute([
  // audit_seal: seal of the audit log (docs/decisions/0007-audit.md). It may be null, so that verification reports its removal.
  `create table workspace (
    id uuid primary key,
    name text not null unique,
    settings jsonb not null,
    hash_key bytea not null,
    signing_key bytea not null,
    signing_public_key text not null,
    audit_seal text,
    active_policy_id uuid,
    created_at timestamptz not null
  )`,
  `create table application (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    settings jsonb not null,
    limits jsonb not null,
    models jsonb,
    providers jsonb,
    default_model text,
    ceiling text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (workspace_id, name)
  )`,
  // issued_by: an operator's id, or an admin token's that no operator issued; null: issued on the server itself. The same for access tokens.
  `create table api_key (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    application_id uuid not null references application,
    name text not null,
    hash bytea not null unique,
    hint text not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    expires_at timestamptz,
    expiry_announced_at timestamptz,
    revoked_at timestamptz,
    replaced_by uuid,
    issued_by text
  )`,
  'create index api_key_application on api_key (workspace_id, application_id, id)',
  `create table workspace_user (
    workspace_id uuid not null references workspace,
    id text not null,
    username text not null,
    role text not null,
    department text not null,
    attributes jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (workspace_id, id),
    unique (workspace_id, username)
  )`,
  `create table access_token (
    id uuid primary key,
    workspace_id uuid not null,
    user_id text not null,
    name text not null,
    hash bytea not null unique,
    created_at timestamptz not null,
    revoked_at timestamptz,
    issued_by text,
    foreign key (workspace_id, user_id) references workspace_user on delete cascade
  )`,
  'create index access_token_user on access_token (workspace_id, user_id, id)',
])
