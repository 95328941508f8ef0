import type { Db } from '../../../platform/db/database.ts'
import { inTransaction } from '../../../platform/db/retried-transaction.ts'
import { toId } from '../../../platform/lib/id.ts'
import { emit } from '../events/outbox.ts'

/** Removes up to `limit` held messages whose review items have expired. Their senders get an event. Returns their number. */
export function removeExpiredHolds(db: Db, now: Date, limit: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const expired = tx
      .selectFrom('held_message')
      .innerJoin('review_item', 'review_item.id', 'review_item_id')
      .select('held_message.id')
      .where('review_item.expires_at', '<=', now)
      .limit(limit)
      .forUpdate('held_message')
      .skipLocked()
    const removed = await tx.deleteFrom('held_message').where('id', 'in', expired).returningAll().execute()
    for (const held of removed) {
      await emit(tx, {
        workspaceId: toId('ws', held.workspace_id),
        type: 'message.held',
        audience: [held.sender_id],
        payload: {
          id: toId('msg', held.target_id ?? held.id),
          conversation_id: toId('conv', held.conversation_id),
          review_item_id: toId('rev', held.review_item_id),
          state: 'expired',
        },
      })
    }
    return removed.length
  })
}
