import { execute } from './execute.ts'

/** The search index, and collections of documents, split into chunks. Each chunk is in the partition of the users who may see it. */
export const up = execute([
  // Index entries and their postings, by partition.
  `create table retrieval_partition (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspace,
    kind text not null,
    key text not null,
    language text not null,
    entries integer not null default 0,
    total_length bigint not null default 0,
    next_number bigint not null default 0,
    unique (workspace_id, kind, key)
  )`,
  // tokenizer: its version; jobs index entries of older ones again.
  `create table retrieval_entry (
    id uuid primary key,
    partition_id bigint not null references retrieval_partition,
    number bigint not null,
    length integer not null,
    terms text not null,
    tokenizer smallint not null default 1,
    unique (partition_id, number)
  )`,
  'create index retrieval_entry_tokenizer on retrieval_entry (partition_id, id) where tokenizer < 2',
  // Plain: 256 postings are 1 KiB, which is never worth a second table; the free space keeps updates on their page.
  `create table retrieval_posting (
    partition_id bigint not null references retrieval_partition,
    term text collate "C" not null,
    block integer not null,
    postings bytea not null,
    primary key (partition_id, term, block)
  ) with (fillfactor = 85)`,
  // For words with a slip at their beginning.
  'create index retrieval_posting_ending on retrieval_posting (partition_id, reverse(term), block)',
  // Apart from the column: PostgreSQL 15 takes no storage there.
  'alter table retrieval_posting alter column postings set storage plain',
  // Embedding models. The tables of vectors need an extension: domains/retrieval/semantic/prepare-vectors.ts.
  `create table embedding_model (
    id integer generated always as identity primary key,
    name text not null,
    dimensions integer not null,
    shortened boolean not null,
    state text not null check (state in ('building', 'ready', 'retired')),
    changed_at timestamptz not null default now(),
    indexed boolean not null default false,
    leased_by uuid,
    leased_until timestamptz not null default now(),
    unique (name, dimensions)
  )`,
  `create table knowledge_collection (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    description text not null,
    classification text,
    regulations jsonb not null,
    acl jsonb,
    language text not null,
    applications jsonb,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    removed_at timestamptz
  )`,
  'create unique index knowledge_collection_name on knowledge_collection (workspace_id, name) where removed_at is null',
  'create index knowledge_collection_page on knowledge_collection (workspace_id, id)',
  'create index knowledge_collection_removed on knowledge_collection (removed_at) where removed_at is not null',
  `create table knowledge_partition (
    id bigint primary key references retrieval_partition,
    workspace_id uuid not null references workspace,
    collection_id uuid not null references knowledge_collection,
    language text not null,
    access jsonb not null
  )`,
  'create index knowledge_partition_collection on knowledge_partition (workspace_id, collection_id)',
  `create table knowledge_document (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    collection_id uuid not null references knowledge_collection,
    key text not null,
    title text not null,
    version integer not null,
    content_hash bytea not null,
    media_type text not null,
    bytes integer not null,
    source text not null,
    classification text,
    regulations jsonb not null,
    acl jsonb,
    limits jsonb not null,
    flags jsonb,
    chunks integer not null,
    partition_id bigint not null references knowledge_partition,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (collection_id, key)
  )`,
  'create index knowledge_document_page on knowledge_document (collection_id, id)',
  'create index knowledge_document_workspace on knowledge_document (workspace_id, id)',
  'create index knowledge_document_flagged on knowledge_document (workspace_id, id) where flags is not null',
  'create index knowledge_document_partition on knowledge_document (partition_id)',
  // The partition is that of its document.
  `create table knowledge_chunk (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    document_id uuid not null references knowledge_document,
    position integer not null,
    headings jsonb not null,
    content text not null,
    tokens integer not null,
    flagged boolean not null,
    partition_id bigint not null,
    unique (document_id, position)
  )`,
])
