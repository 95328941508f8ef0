import { execute } from './execute.ts'

/** Large documents are written in parts: each of their versions has a partition of its own, which is listed when all parts are written. */
export const up = execute([
  // The document of a partition of its own. Null: the partition is for all documents with its labels.
  'alter table knowledge_partition add column document_id uuid',
  // The position of the first chunk of the active version. Its other versions have other positions.
  'alter table knowledge_document add column first_position integer not null default 0',
  // Versions that are not active: they are being written, or a job removes them once they have expired.
  `create table knowledge_version (
    partition_id bigint primary key references retrieval_partition,
    workspace_id uuid not null references workspace,
    document_id uuid not null,
    first_position integer not null,
    chunks integer not null,
    expires_at timestamptz not null
  )`,
  'create index knowledge_version_document on knowledge_version (document_id)',
  'create index knowledge_version_expiry on knowledge_version (expires_at)',
  // Large files of uploads. Their parts are stored before the upload.
  `create table knowledge_upload_part (
    workspace_id uuid not null references workspace,
    upload_id uuid not null,
    part integer not null,
    file bytea not null,
    created_at timestamptz not null,
    primary key (upload_id, part)
  )`,
  // Files are compressed mostly, and their rows are short-lived.
  'alter table knowledge_upload_part alter column file set storage external',
  'create index knowledge_upload_part_age on knowledge_upload_part (created_at)',
  `create function remove_upload_parts() returns trigger language plpgsql as $$ begin
    delete from knowledge_upload_part where upload_id = old.id;
    return null;
  end $$`,
  `create trigger remove_upload_parts after delete on knowledge_upload for each row execute function remove_upload_parts()`,
])
