import { type Kysely, sql } from 'kysely'

/** Tables of the gateway. Ids are UUIDv7; every index begins with the owner. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table workspace (
    id uuid primary key,
    name text not null unique,
    settings jsonb not null,
    hash_key bytea not null,
    signing_key bytea not null,
    signing_public_key text not null,
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
  `create table api_key (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    application_id uuid not null references application,
    name text not null,
    hash bytea not null unique,
    hint text not null,
    created_at timestamptz not null,
    revoked_at timestamptz
  )`,
  `create index api_key_application on api_key (workspace_id, application_id, id)`,
  `create table admin_token (
    id uuid primary key,
    name text not null,
    hash bytea not null unique,
    created_at timestamptz not null,
    revoked_at timestamptz
  )`,
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
  `create table provider (
    workspace_id uuid not null references workspace,
    id text not null,
    kind text not null,
    source text not null,
    base_url text,
    api_key bytea,
    api_key_env text,
    headers jsonb not null,
    path text not null,
    timeout_ms integer not null,
    max_retries integer not null,
    max_concurrency integer not null,
    weight double precision not null,
    region text,
    max_classification text not null,
    enabled boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (workspace_id, id)
  )`,
  `create table model (
    workspace_id uuid not null,
    provider_id text not null,
    id text not null,
    upstream_name text,
    input_price double precision,
    output_price double precision,
    created_at timestamptz not null,
    primary key (workspace_id, provider_id, id),
    foreign key (workspace_id, provider_id) references provider on delete cascade
  )`,
  `create table policy_set (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    version integer not null,
    sha256 text not null,
    source text not null,
    published_by text not null,
    created_at timestamptz not null,
    unique (workspace_id, name, version)
  )`,
  `alter table workspace add foreign key (active_policy_id) references policy_set`,
  // application_id is null for a hold of a message, whose id is message_id.
  `create table review_item (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    application_id uuid references application,
    message_id uuid,
    kind text not null,
    state text not null,
    point text not null,
    endpoint text not null,
    user_id text not null,
    session_id text,
    request_hash bytea not null,
    rules jsonb not null,
    findings jsonb not null,
    classification text not null,
    risk_level text not null,
    policy jsonb,
    model text,
    content bytea,
    result bytea,
    audit_id uuid not null,
    released_audit_id uuid,
    successor_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    decided_by text,
    decided_at timestamptz,
    comment text,
    release_started_at timestamptz,
    released_at timestamptz
  )`,
  `create index review_item_queue on review_item (workspace_id, state, id)`,
  `create index review_item_binding on review_item (workspace_id, application_id, request_hash) where kind = 'hold'`,
  `create index review_item_message on review_item (message_id) where message_id is not null`,
  `create index review_item_conversation on review_item (session_id) where message_id is not null`,
  `create index review_item_expiry on review_item (expires_at) where content is not null or result is not null`,
  // Its workspace_id is that of audit_head, which references workspace (append.ts): checked again for every row, that
  // would be a third of what a large group costs.
  `create table audit_record (
    id uuid primary key,
    workspace_id uuid not null,
    application_id uuid,
    sequence bigint not null,
    created_at timestamptz not null,
    endpoint text not null,
    verdict text,
    risk_level text,
    status integer not null,
    user_hash text,
    body text not null,
    prev_hash bytea not null,
    hash bytea not null,
    unique (workspace_id, sequence)
  ) with (toast_tuple_target = 8160)`, // a record is about 2 KB: kept in its row, uncompressed, it costs half as much to write
  `create index audit_record_application on audit_record (workspace_id, application_id, sequence)`,
  `create index audit_record_user on audit_record (workspace_id, user_hash, sequence) where user_hash is not null`,
  `create index audit_record_verdict on audit_record (workspace_id, verdict, sequence) where verdict <> 'allow'`,
  `create table audit_head (
    workspace_id uuid primary key references workspace,
    sequence bigint not null,
    hash bytea not null
  )`,
  `create table audit_checkpoint (
    workspace_id uuid not null references workspace,
    size bigint not null,
    head_hash bytea not null,
    root bytea not null,
    frontier bytea not null,
    signature bytea not null,
    created_at timestamptz not null,
    primary key (workspace_id, size)
  )`,
]
