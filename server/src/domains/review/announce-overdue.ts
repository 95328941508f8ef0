import type { Tx } from '../../platform/db/database.ts'
import { announceReview } from './announce-review.ts'
import { ITEM_COLUMNS, toItem, uuidOf } from './review-row.ts'

interface Overdue {
  readonly now: Date
  /** Pending items that were created before are overdue. */
  readonly before: Date
  readonly most: number
}

/** Announces pending items that have become overdue, each once. Returns how many. */
export async function announceOverdue(tx: Tx, workspaceId: string, { now, before, most }: Overdue): Promise<number> {
  const due = tx
    .selectFrom('review_item')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('state', '=', 'pending')
    .where('created_at', '<', before)
    .where('expires_at', '>', now)
    .where('overdue_announced_at', 'is', null)
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .skipLocked()
  const rows = await tx
    .updateTable('review_item')
    .set({ overdue_announced_at: now })
    .where('id', 'in', due)
    .returning(ITEM_COLUMNS)
    .execute()
  for (const row of rows) await announceReview(tx, 'review.overdue', toItem(row, now))
  return rows.length
}
