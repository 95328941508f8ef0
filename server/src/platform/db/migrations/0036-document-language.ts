import { execute } from './execute.ts'

/** null: that of the collection. */
export const up = execute(['alter table knowledge_document add column own_language text'])
