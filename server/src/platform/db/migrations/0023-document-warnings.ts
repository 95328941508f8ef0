import { execute } from './execute.ts'

/** Content of a document that was not read, or was read by a guess; null: it was stored by a version that did not keep warnings. */
export const up = execute(['alter table knowledge_document add column warnings jsonb'])
