import { execute } from './execute.ts'

/** The question of a reviewer to the requester of a held request. */
export const up = execute([
  'alter table review_item add column question text',
  'alter table review_item add column asked_by text',
  'alter table review_item add column asked_at timestamptz',
])
