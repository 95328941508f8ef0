import { execute } from './execute.ts'

/** Indexes of a large table are built concurrently, which needs no transaction. Each statement can run again. */
export const inTransaction = false

/**
 * The state of the newest upload of each document, and the uploads that wait or failed. A document without a version has no partition, so
 * the last release does not list it. parent_id: the document that contains this one as an attachment.
 */
export const up = execute([
  `alter table knowledge_document
    add column if not exists state text not null default 'indexed',
    add column if not exists failure jsonb,
    add column if not exists parent_id uuid,
    alter column partition_id drop not null`,
  `create index concurrently if not exists knowledge_document_unfinished on knowledge_document (workspace_id, state, id)
    where state <> 'indexed'`,
  `create index concurrently if not exists knowledge_document_parent on knowledge_document (parent_id)
    where parent_id is not null`,
  // file: null if the file is fetched from a URL.
  `create table if not exists knowledge_upload (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    document_id uuid not null unique references knowledge_document on delete cascade,
    operator_id text not null,
    request jsonb not null,
    file bytea,
    attempts integer not null,
    created_at timestamptz not null,
    leased_until timestamptz,
    failed_at timestamptz
  )`,
  'create index if not exists knowledge_upload_waiting on knowledge_upload (created_at) where failed_at is null',
  'create index if not exists knowledge_upload_failed on knowledge_upload (failed_at) where failed_at is not null',
  // Files are compressed mostly, and their rows are short-lived.
  'alter table knowledge_upload alter column file set storage external',
])
