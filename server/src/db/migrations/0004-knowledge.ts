import { type Kysely, sql } from 'kysely'

/** Collections of documents, split into chunks. Each chunk is in the partition of the users who may see it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
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
  `create unique index knowledge_collection_name on knowledge_collection (workspace_id, name) where removed_at is null`,
  `create index knowledge_collection_page on knowledge_collection (workspace_id, id)`,
  `create index knowledge_collection_removed on knowledge_collection (removed_at) where removed_at is not null`,
  `create table knowledge_partition (
    id bigint primary key references retrieval_partition,
    workspace_id uuid not null references workspace,
    collection_id uuid not null references knowledge_collection,
    language text not null,
    access jsonb not null
  )`,
  `create index knowledge_partition_collection on knowledge_partition (workspace_id, collection_id)`,
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
  `create index knowledge_document_page on knowledge_document (collection_id, id)`,
  `create index knowledge_document_workspace on knowledge_document (workspace_id, id)`,
  `create index knowledge_document_flagged on knowledge_document (workspace_id, id) where flags is not null`,
  `create index knowledge_document_partition on knowledge_document (partition_id)`,
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
]
