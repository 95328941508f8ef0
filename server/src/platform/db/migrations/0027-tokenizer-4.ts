import { execute } from './execute.ts'

/** Cannot run in a transaction. */
export const inTransaction = false

/** For the jobs that index rows of a former tokenizer again (domains/retrieval/words.ts): empty at their end. */
export const up = execute([
  'create index concurrently if not exists retrieval_entry_tokenizer_4 on retrieval_entry (partition_id, id) where tokenizer < 4',
  'create index concurrently if not exists message_tokenizer_4 on message (id) where tokenizer < 4',
])
