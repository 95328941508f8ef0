import type { Db, Tx } from '../../platform/db/database.ts'
import { announce } from '../../platform/queue/outbox.ts'
import type { GovernanceEventType, ReviewPayload } from '../../shared/governance-event.ts'
import { ITEM_COLUMNS, pendingItems, type ReviewItem, toItem } from './review-row.ts'

/** Announces a change of an item, in its transaction. The payload names no user and holds no comment. */
export const announceReview = (tx: Db, type: GovernanceEventType & `review.${string}`, item: ReviewItem): Promise<void> =>
  announce(tx, item.workspaceId, type, payloadOf(item))

const payloadOf = (item: ReviewItem): ReviewPayload => ({
  id: item.id,
  object: 'review_item',
  kind: item.kind,
  state: item.state,
  application_id: item.applicationId,
  message_id: item.messageId,
  endpoint: item.endpoint,
  point: item.point,
  rules: item.rules.map(({ id }) => id),
  classification: item.classification,
  risk_level: item.riskLevel,
  audit_id: item.auditId,
  assigned_to: item.assignedTo,
  assigned_for: item.assignedFor,
  required_approvals: item.requiredApprovals,
  decided_by: item.decidedBy,
  decided_at: item.decidedAt?.toISOString() ?? null,
  created_at: item.createdAt.toISOString(),
  expires_at: item.expiresAt.toISOString(),
})

export async function announceOverdue(
  tx: Tx,
  workspaceId: string,
  { now, before, most }: { readonly now: Date; readonly before: Date; readonly most: number },
): Promise<number> {
  const due = pendingItems(tx, workspaceId, now)
    .select('id')
    .where('created_at', '<', before)
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
