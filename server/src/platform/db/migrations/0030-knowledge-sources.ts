import { execute } from './execute.ts'

/** Sources that documents of a collection are copied from. */
export const up = execute([
  // syncing_since: while a node works on it. cursor: of the connector, from the last complete run.
  `create table knowledge_source (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    collection_id uuid not null references knowledge_collection on delete cascade,
    name text not null,
    kind text not null,
    url text not null,
    folder text not null,
    branch text,
    region text,
    username text,
    secret bytea,
    link text,
    interval_minutes integer not null,
    enabled boolean not null,
    forced boolean not null default false,
    cursor text,
    next_sync_at timestamptz not null,
    leased_until timestamptz,
    syncing_since timestamptz,
    last_sync jsonb,
    failure jsonb,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (collection_id, name)
  )`,
  'create index knowledge_source_due on knowledge_source (next_sync_at) where enabled',
  // version: of the file when it was last stored. Empty: it is read again.
  `create table knowledge_source_file (
    workspace_id uuid not null,
    source_id uuid not null references knowledge_source on delete cascade,
    key text not null,
    version text not null,
    primary key (source_id, key)
  )`,
])
