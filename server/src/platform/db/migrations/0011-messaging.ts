import { execute } from './execute.ts'

/** Contacts, groups, conversations, messages, events, webhooks and assistants. */
export const up = execute([
  // The profile of a contact; application_id: the Application that answers, if the contact is an assistant.
  `create table contact_profile (
    workspace_id uuid not null,
    user_id text not null,
    display_name text,
    phone_number text not null,
    avatar_url text,
    application_id uuid references application,
    last_active_at timestamptz,
    primary key (workspace_id, user_id),
    foreign key (workspace_id, user_id) references workspace_user on delete cascade
  )`,
  `create table messaging_group (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    description text not null,
    avatar_url text,
    owner_id text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create table group_member (
    workspace_id uuid not null,
    group_id uuid not null references messaging_group on delete cascade,
    user_id text not null,
    joined_at timestamptz not null,
    primary key (group_id, user_id),
    foreign key (workspace_id, user_id) references workspace_user on delete cascade
  )`,
  'create index group_member_user on group_member (workspace_id, user_id, group_id)',
  // direct_key: both user ids of a direct conversation as canonical JSON, sorted; for distinct=true.
  `create table conversation (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    group_id uuid references messaging_group on delete cascade,
    direct_key text,
    pinned_message_id uuid,
    last_sequence bigint not null,
    last_active_at timestamptz,
    retention_days integer,
    created_by text not null,
    created_at timestamptz not null
  )`,
  'create index conversation_direct on conversation (workspace_id, direct_key, id) where direct_key is not null',
  'create index conversation_group on conversation (workspace_id, group_id, id) where group_id is not null',
  'create index conversation_retention on conversation (id) where retention_days is not null',
  // sort_at: last_active_at of the conversation, else its created_at; kept here so that a page of one's list is an index range.
  // read_sequence: up to where the member has read.
  `create table conversation_member (
    workspace_id uuid not null,
    conversation_id uuid not null references conversation on delete cascade,
    user_id text not null,
    sort_at timestamptz not null,
    is_pinned boolean not null,
    is_muted boolean not null,
    archived_at timestamptz,
    last_opened_at timestamptz,
    read_sequence bigint not null,
    read_at timestamptz,
    primary key (conversation_id, user_id)
  ) with (fillfactor = 80)`,
  'create index conversation_member_list on conversation_member (workspace_id, user_id, sort_at desc, conversation_id desc)',
  // The filters of that list.
  'create index conversation_member_pinned on conversation_member (workspace_id, user_id, sort_at desc, conversation_id desc) where is_pinned',
  'create index conversation_member_muted on conversation_member (workspace_id, user_id, sort_at desc, conversation_id desc) where is_muted',
  'create index conversation_member_archived on conversation_member (workspace_id, user_id, sort_at desc, conversation_id desc) where archived_at is not null',
  // read_at: when the last member but its sender had read it; room is left so that setting it touches no index.
  // reply_to: the message that an assistant answers with this one; once per message.
  // words: of the text, and the id of the conversation (messages/message-words.ts). tokenizer: its version; jobs index rows of older ones again.
  `create table message (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    conversation_id uuid not null references conversation on delete cascade,
    sequence bigint not null,
    sender_id text not null,
    text text not null,
    words tsvector not null default '',
    tokenizer smallint not null default 1,
    audit_id uuid,
    flagged boolean not null,
    reply_to uuid,
    created_at timestamptz not null,
    updated_at timestamptz,
    read_at timestamptz,
    unique (conversation_id, sequence) include (sender_id)
  ) with (fillfactor = 85)`,
  'create index message_time on message (conversation_id, created_at desc, sequence desc)',
  'create unique index message_reply on message (reply_to) where reply_to is not null',
  'create index message_sender on message (workspace_id, sender_id, id)',
  'create index message_age on message (workspace_id, created_at)',
  // The words and the conversation: a search reads only entries of the member's conversations.
  'create index message_search on message using gin (words)',
  // Rows of an older tokenizer, which jobs fill: empty at their end.
  'create index message_tokenizer on message (id) where tokenizer < 2',
  // user_id: who gave it; value: what is shown under the name, the giver's own id where the caller alone reacts.
  `create table message_reaction (
    id bigint generated always as identity,
    workspace_id uuid not null,
    message_id uuid not null references message on delete cascade,
    name text not null,
    user_id text not null,
    value text not null,
    created_at timestamptz not null,
    primary key (message_id, name, user_id, value)
  )`,
  'create index message_reaction_user on message_reaction (workspace_id, user_id)',
  // Held messages, which only their author and reviewers see. target_id: the message that the text would update.
  `create table held_message (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    conversation_id uuid not null references conversation on delete cascade,
    target_id uuid references message on delete cascade,
    sender_id text not null,
    attachments uuid[],
    review_item_id uuid not null unique references review_item on delete cascade,
    created_at timestamptz not null
  )`,
  `create table message_attachment (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    message_id uuid references message on delete cascade,
    uploaded_by text not null,
    filename text not null,
    media_type text not null,
    bytes bigint not null,
    sha256 bytea not null,
    place text not null,
    created_at timestamptz not null
  )`,
  'create index message_attachment_message on message_attachment (message_id) where message_id is not null',
  'create index message_attachment_uploader on message_attachment (workspace_id, uploaded_by, id)',
  'create index message_attachment_unused on message_attachment (created_at) where message_id is null',
  // Files without a row, or whose row is not committed yet: a job removes them after removed_at, so that however a transaction ends
  // there is no file without a row and no row without a file.
  'create table removed_file (place text primary key, removed_at timestamptz not null)',
  'create index removed_file_due on removed_file (removed_at)',
  // Erased users whose content may not be erased completely yet.
  `create table user_erasure (
    workspace_id uuid not null references workspace,
    user_id text not null,
    erased_at timestamptz not null,
    primary key (workspace_id, user_id)
  )`,
  // Written in the transaction of the change; a relay moves events to the log in the order of these ids.
  // traceparent: work that is done after its request keeps the request's trace.
  `create table event_outbox (
    id bigint generated always as identity primary key,
    workspace_id uuid not null,
    type text not null,
    audience text[] not null,
    object_id text,
    conversation_id text,
    payload json not null,
    traceparent text,
    created_at timestamptz not null
  )`,
  // payload: JSON as text, sent unchanged. object_id, conversation_id: the changed object; its events are erased with it.
  `create table event_log (
    workspace_id uuid not null references workspace,
    sequence bigint not null,
    type text not null,
    audience text[] not null,
    object_id text,
    conversation_id text,
    payload json not null,
    traceparent text,
    created_at timestamptz not null,
    primary key (workspace_id, sequence)
  )`,
  'create index event_log_age on event_log (created_at)',
  'create index event_log_object on event_log (workspace_id, object_id)',
  'create index event_log_conversation on event_log (workspace_id, conversation_id)',
  // last: sequence of the newest event; pruned: of the newest event that was removed because of its age.
  `create table event_position (
    workspace_id uuid primary key references workspace,
    last bigint not null,
    pruned bigint not null
  )`,
  // position: sequence of the last event that has become deliveries.
  `create table webhook (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    url text not null,
    secret bytea not null,
    types text[],
    format text not null default 'standard',
    enabled boolean not null,
    position bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create table webhook_delivery (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    webhook_id uuid not null references webhook on delete cascade,
    type text not null,
    object_id text,
    conversation_id text,
    payload json not null,
    happened_at timestamptz not null,
    state text not null,
    attempts integer not null,
    give_up_at timestamptz not null,
    next_attempt_at timestamptz,
    last_status integer,
    last_failure text,
    traceparent text,
    created_at timestamptz not null,
    ended_at timestamptz
  )`,
  `create index webhook_delivery_due on webhook_delivery (webhook_id, next_attempt_at) where state = 'pending'`,
  'create index webhook_delivery_list on webhook_delivery (workspace_id, webhook_id, id)',
  'create index webhook_delivery_object on webhook_delivery (workspace_id, object_id)',
  'create index webhook_delivery_conversation on webhook_delivery (workspace_id, conversation_id)',
  'create index webhook_delivery_ended on webhook_delivery (ended_at) where ended_at is not null',
  // For lists that filter on a rare state.
  `create index webhook_delivery_state on webhook_delivery (workspace_id, webhook_id, state, id) where state <> 'delivered'`,
  // object_ids: the objects of the response, which is erased when one of them is deleted.
  `create table idempotency_key (
    workspace_id uuid not null references workspace,
    user_id text not null,
    key text not null,
    fingerprint bytea not null,
    status integer not null,
    body text not null,
    object_ids text[],
    created_at timestamptz not null,
    primary key (workspace_id, user_id, key)
  )`,
  'create index idempotency_key_age on idempotency_key (created_at)',
  'create index idempotency_key_objects on idempotency_key using gin (object_ids)',
  // Messages that an assistant has not answered, or has refused to answer. A turn that ends with an answer is deleted.
  // A claim has a lease, so that another node continues when one has stopped.
  `create table assistant_turn (
    message_id uuid primary key references message on delete cascade,
    workspace_id uuid not null references workspace,
    conversation_id uuid not null references conversation on delete cascade,
    assistant_id text not null,
    author jsonb,
    state text not null,
    attempts integer not null,
    claim uuid,
    claimed_until timestamptz,
    review_item_id uuid,
    traceparent text,
    created_at timestamptz not null,
    foreign key (workspace_id, assistant_id) references workspace_user on delete cascade
  )`,
  'create index assistant_turn_conversation on assistant_turn (conversation_id, created_at)',
  'create index assistant_turn_assistant on assistant_turn (workspace_id, assistant_id)',
  `create index assistant_turn_due on assistant_turn (created_at) where state in ('waiting', 'held')`,
])
