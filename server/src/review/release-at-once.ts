import type { Tx } from '../db/database.ts'
import type { ReviewItem } from './review.ts'
import { ITEM_COLUMNS, toItem, uuidOf } from './review-row.ts'

/**
 * Ends an approved hold whose approval itself carries it out, as a message's does: nobody comes back for it, so what it shows is
 * erased.
 */
export async function releaseAtOnce(tx: Tx, { id, workspaceId }: ReviewItem, auditId: string, now: Date): Promise<ReviewItem> {
  const row = await tx
    .updateTable('review_item')
    .set({ state: 'released', released_at: now, released_audit_id: uuidOf('aud', auditId), content: null })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('rev', id))
    .where('state', '=', 'approved')
    .returning(ITEM_COLUMNS)
    .executeTakeFirstOrThrow()
  return toItem(row, now)
}
