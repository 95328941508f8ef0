import { execute } from './execute.ts'

/** Holds and escalations, and responses that clients continue. */
export const up = execute([
  // application_id is null for a hold of a message, whose id is message_id.
  // key_id: the API key that opened the item. assigned_for: the absent operator whose delegate it is assigned to.
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
    key_id uuid,
    key_issuers text[] not null default '{}',
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
    overdue_announced_at timestamptz,
    assigned_to text,
    assigned_for text,
    required_approvals integer not null default 1,
    approvals jsonb not null default '[]',
    decided_by text,
    decided_at timestamptz,
    comment text,
    release_started_at timestamptz,
    released_at timestamptz
  )`,
  'create index review_item_queue on review_item (workspace_id, state, id)',
  `create index review_item_binding on review_item (workspace_id, application_id, request_hash) where kind = 'hold'`,
  'create index review_item_message on review_item (message_id) where message_id is not null',
  'create index review_item_conversation on review_item (session_id) where message_id is not null',
  'create index review_item_expiry on review_item (expires_at) where content is not null or result is not null',
  // For lists that filter on a rare value. They omit the frequent value: a list of it is fast without an index, and most rows then need no entry.
  'create index review_item_application on review_item (workspace_id, application_id, id)',
  `create index review_item_next on review_item (workspace_id, expires_at, id) where state = 'pending'`,
  'create index review_item_created on review_item (workspace_id, created_at)',
  `create index review_item_kind on review_item (workspace_id, kind, id) where kind <> 'hold'`,
  // Responses that clients of the responses API continue. previous_id references no row, because a response can be deleted while others continue it.
  `create table stored_response (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    application_id uuid not null references application on delete cascade,
    user_id text not null,
    user_verified boolean not null,
    previous_id uuid,
    content bytea not null,
    bytes integer not null,
    created_at timestamptz not null
  )`,
  'create index stored_response_expiry on stored_response (workspace_id, application_id, created_at)',
  'create index stored_response_user on stored_response (workspace_id, user_id)',
])
