import { execute } from './execute.ts'

/** The access list of a source. relabelled_to: the last key of its documents that has the list; null: all have it. */
export const up = execute([
  'alter table knowledge_source add column acl jsonb, add column relabelled_to text',
  'create index knowledge_source_relabelling on knowledge_source (workspace_id) where relabelled_to is not null',
])
