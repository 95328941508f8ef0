import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newId, newUuid } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { type Refusal, refuseUnknown } from '../../../shared/refusal.ts'
import { appendInTransaction } from '../../audit/chain/append-in-transaction.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { openHold } from '../../review/review-store.ts'
import { emit } from '../events/outbox.ts'
import { draftMessageRecord } from './message-audit-record.ts'
import { newMessageReview } from './message-review.ts'
import type { TextDecision } from './text-decision.ts'
import type { TextSubmission } from './text-submission.ts'

/** A text that requires approval. It cannot be stored as a message, only opened as a hold. */
export interface HeldText {
  readonly kind: 'held'
  /**
   * Opens the hold and writes its audit record. Returns the existing hold if an identical text is held already. Last in its
   * transaction. `attachments`: `att_…`, added at the approval; null: an update that keeps those of the message.
   */
  readonly open: (tx: Tx, attachments: readonly string[] | null) => Promise<OpenedHold | Refusal>
}

export interface OpenedHold {
  readonly reviewItemId: string
  readonly auditId: string
}

export const heldText = (decided: TextDecision, keys: WorkspaceKeys, box: SecretBox): HeldText => ({
  kind: 'held',
  open: (tx, attachments) => openHeld(tx, decided, keys, box, attachments),
})

async function openHeld(
  tx: Tx,
  decided: TextDecision,
  keys: WorkspaceKeys,
  box: SecretBox,
  attachments: readonly string[] | null,
): Promise<OpenedHold | Refusal> {
  const { submission } = decided
  const { workspaceId, sender, place, messageId, change, now } = submission
  const target = change === 'update' ? messageId : null
  if (!(await lockConversation(tx, submission))) return refuseUnknown('conversation')
  const auditId = newId('aud')
  const review = newMessageReview(decided, auditId, keys, { target, attachments })
  const { item, created } = await openHold(tx, { workspaceId, applicationId: null }, review, box)
  if (created) {
    await tx
      .insertInto('held_message')
      .values({
        id: target === null ? uuidOf('msg', messageId) : newUuid(),
        workspace_id: uuidOf('ws', workspaceId),
        conversation_id: uuidOf('conv', place.id),
        target_id: target && uuidOf('msg', target),
        sender_id: sender.id,
        attachments: attachments?.map((id) => uuidOf('att', id)) ?? null,
        review_item_id: uuidOf('rev', item.id),
        created_at: now,
      })
      .execute()
    await emit(tx, {
      workspaceId,
      type: 'message.held',
      audience: [sender.id],
      payload: { id: messageId, conversation_id: place.id, review_item_id: item.id, state: 'pending' },
    })
  }
  const outcome = { auditId, error: 'POLICY_REVIEW_PENDING', review: { id: item.id, state: 'pending' } } as const
  await appendInTransaction(tx, workspaceId, [draftMessageRecord(decided, outcome, keys.hasher)], keys.hasher)
  return { reviewItemId: item.id, auditId }
}

/** Prevents that the conversation is deleted before `tx` ends. Returns false if it was deleted while the text was governed. */
async function lockConversation(tx: Tx, { workspaceId, place }: TextSubmission): Promise<boolean> {
  const row = await tx
    .selectFrom('conversation')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('conv', place.id))
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}
