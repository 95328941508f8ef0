import { execute } from './execute.ts'

/** Cannot run in a transaction. */
export const inTransaction = false

/** For the review items of a user: the history beside an item, and the filter of the queue. */
export const up = execute([
  `create index concurrently if not exists review_item_user on review_item (workspace_id, user_id, id) where user_id <> ''`,
])
