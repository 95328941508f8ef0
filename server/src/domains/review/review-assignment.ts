import type { Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { announceReview } from './announce-review.ts'
import { ITEM_COLUMNS, type ReviewItem, toItem } from './review-row.ts'

/** The operator who is asked to decide, and the absent operator whose delegate that is. */
export interface Assignee {
  readonly to: string
  readonly for: string | null
}

/** Asks an operator to decide on a pending item; null: none. Undefined if the Workspace has no such pending item. */
export async function assignReview(
  tx: Tx,
  workspaceId: string,
  id: string,
  { assignee, now }: { readonly assignee: Assignee | null; readonly now: Date },
): Promise<ReviewItem | undefined> {
  const row = await tx
    .updateTable('review_item')
    .set({ assigned_to: assignee?.to ?? null, assigned_for: assignee?.for ?? null })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOrNull('rev', id))
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .returning(ITEM_COLUMNS)
    .executeTakeFirst()
  const item = row && toItem(row, now)
  if (item && assignee !== null) await announceReview(tx, 'review.assigned', item)
  return item
}
